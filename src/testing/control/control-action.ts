import type { FakeCore } from '../core/fake-core.js'
import type { FakeContext } from '../state/context.js'
import { bindMethods, CONTROL_METHODS, type ControlMethodGroup } from './control-methods.js'

export interface ControlInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
}

/** One action of the control API. `GET /` and the documentation list its method, path, description and body. */
export interface ControlAction {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly description: string
  /** The fields of the body with their descriptions. A body with other fields is rejected. */
  readonly body?: Readonly<Record<string, string>>
  /** Name of the command that runs the action: `pathology fake <verb>` with the path's parameters and the body's fields. */
  readonly verb?: string
  /** The control method that the action calls; absent for an action with code of its own. */
  readonly calls?: ControlMethodName
  readonly run: (core: FakeCore, input: ControlInput) => unknown
}

/** A method and path, such as `GET /clock`. */
type ActionRoute = `${ControlAction['method']} /${string}`

/** Returns an action with code of its own. */
export function action(
  route: ActionRoute,
  description: string,
  run: ControlAction['run'],
  body?: ControlAction['body'],
): ControlAction {
  const [method, path = ''] = route.split(' ') as [ControlAction['method'], string]
  return { method, path, description, ...(body !== undefined && { body }), run }
}

/**
 * Source of an argument: a path parameter (`{uuid}`), a field of the body (`.values`), the entire `body`, or `body?`.
 * An empty `body?` is left out of the arguments.
 */
type ArgumentSource = `{${string}}` | `.${string}` | 'body' | 'body?'

type Methods = typeof CONTROL_METHODS
/** Every control method, such as `referrals.issue`. */
export type ControlMethodName = {
  [Group in keyof Methods]: `${Group}.${keyof Methods[Group] & string}`
}[keyof Methods]

interface MethodActionParts extends Pick<ControlAction, 'body' | 'verb'> {
  /** Arguments of the method. Default: the path's parameters, then the body if it has fields. */
  readonly from?: readonly ArgumentSource[]
}

/** Returns an action that calls one control method. */
export function methodAction(
  route: ActionRoute,
  calls: ControlMethodName,
  description: string,
  { from, ...parts }: MethodActionParts = {},
): ControlAction {
  const [group, name] = calls.split('.') as [ControlMethodGroup, string]
  const names = (route.match(/\{\w+\}/g) ?? []) as readonly `{${string}}`[]
  const sources = from ?? [...names, ...(parts.body === undefined ? [] : (['body'] as const))]
  const run: ControlAction['run'] = (core, input) => {
    const methods = bindMethods(core, CONTROL_METHODS[group] as unknown as AnyMethods)
    return methods[name]?.(...withoutTail(sources.map((source) => argument(source, input))))
  }
  return { ...action(route, description, run), calls, ...parts }
}

type AnyMethods = Readonly<Record<string, (context: FakeContext, ...rest: unknown[]) => unknown>>

function argument(source: ArgumentSource, { params, body }: ControlInput): unknown {
  if (source === 'body') return body
  if (source === 'body?') return Object.keys(body).length === 0 ? undefined : body
  return source.startsWith('.') ? body[source.slice(1)] : params[source.slice(1, -1)]
}

/** Removes missing arguments at the end, so that the method's defaults apply. */
function withoutTail(values: readonly unknown[]): unknown[] {
  const last = values.findLastIndex((value) => value !== undefined)
  return values.slice(0, last + 1)
}
