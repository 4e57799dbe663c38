import type { FakeCore } from '../core/fake-core.js'
import type { FakePathologyService } from '../fake-pathology-service.js'
import { bindDrivers } from './bind.js'
import { DRIVER_GROUPS, type DriverGroup } from './drivers.js'

/** What a request to the control interface brings. */
export interface ControlInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
}

/** What actions work on. */
export interface ControlTarget {
  readonly fake: FakePathologyService
  readonly core: FakeCore
}

/** Something the control interface does: the rows that it serves, lists and documents. */
export interface ControlAction {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly description: string
  /** The fields of the body, each with what it is; a body with others is refused. */
  readonly body?: Readonly<Record<string, string>>
  /** The driver it calls, where that is all it does. */
  readonly driver?: readonly [group: DriverGroup, name: string]
  readonly run: (target: ControlTarget, input: ControlInput) => unknown
}

/** How an action's input becomes a driver's arguments: a `{path parameter}`, a `.field` of the body, or the `body`. */
type ArgumentSource = `{${string}}` | `.${string}` | 'body'

/** An action that calls one driver. */
export function driverAction(
  row: Omit<ControlAction, 'run'> & {
    readonly driver: readonly [group: DriverGroup, name: string]
    readonly from: readonly ArgumentSource[]
  },
): ControlAction {
  const { driver, from, ...action } = row
  const [group, name] = driver
  return {
    ...action,
    driver,
    run: ({ core }, input) =>
      drive(core, group, name, withoutTail(from.map((source) => argument(source, input)))),
  }
}

function drive(core: FakeCore, group: DriverGroup, name: string, values: readonly unknown[]): unknown {
  const drivers: Readonly<Record<string, unknown>> = bindDrivers<Readonly<Record<string, never>>>(
    core,
    DRIVER_GROUPS[group] as unknown as Readonly<Record<string, never>>,
  )
  const driver = drivers[name]
  if (typeof driver !== 'function') throw new Error(`no driver ${group}.${name}`)
  return driver(...values)
}

function argument(source: ArgumentSource, { params, body }: ControlInput): unknown {
  if (source === 'body') return Object.keys(body).length === 0 ? undefined : body
  return source.startsWith('.') ? body[source.slice(1)] : params[source.slice(1, -1)]
}

/** Arguments that were left out at the end take the driver's defaults. */
function withoutTail(values: readonly unknown[]): unknown[] {
  const last = values.findLastIndex((value) => value !== undefined)
  return values.slice(0, last + 1)
}
