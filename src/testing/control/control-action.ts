import type { FakeCore } from '../core/fake-core.js'
import { bindMethods, CONTROL_METHODS, type ControlMethodGroup } from './control-methods.js'

/** Input of a request to the control API. */
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
  readonly calls?: readonly [group: ControlMethodGroup, name: string]
  readonly run: (core: FakeCore, input: ControlInput) => unknown
}

/**
 * Source of an argument: a path parameter (`{uuid}`), a field of the body (`.values`), the entire `body`, or `body?`.
 * An empty `body?` is left out of the arguments.
 */
type ArgumentSource = `{${string}}` | `.${string}` | 'body' | 'body?'

/** Returns an action that calls one control method. */
export function methodAction(
  row: Omit<ControlAction, 'run'> & {
    readonly calls: readonly [group: ControlMethodGroup, name: string]
    readonly from: readonly ArgumentSource[]
  },
): ControlAction {
  const { calls, from, ...action } = row
  const [group, name] = calls
  return {
    ...action,
    calls,
    run: (core, input) =>
      callMethod(core, group, name, withoutTail(from.map((source) => argument(source, input)))),
  }
}

function callMethod(
  core: FakeCore,
  group: ControlMethodGroup,
  name: string,
  values: readonly unknown[],
): unknown {
  const methods: Readonly<Record<string, unknown>> = bindMethods<Readonly<Record<string, never>>>(
    core,
    CONTROL_METHODS[group] as unknown as Readonly<Record<string, never>>,
  )
  const method = methods[name]
  if (typeof method !== 'function') throw new Error(`the fake has no method ${group}.${name}`)
  return method(...values)
}

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
