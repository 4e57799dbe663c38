import type { OpenEnum } from '../../contract/enums.js'
import { similarName } from '../../contract/similar.js'
import { createRandom } from '../server/random.js'
import { type KnownFaultRoute, ROUTES, type Route } from '../server/routes.js'
import { checkFields } from '../server/value-rules.js'
import type { Fault, FaultState, FaultWhen } from './fault.js'
import { checkResponseFields, FAULT_RULES, WHEN_RULES } from './fault-rules.js'
import type { Quota, RateLimit } from './rate-limit.js'

/** A fault that applies to a request. */
export interface AppliedFault {
  readonly id: number
  readonly fault: Fault
}

/** A pending fault, as `faults.list()` returns it. */
export interface PendingFault {
  /** The fault's number, for `remove()`. */
  readonly id: number
  /** Method and path of the requests to which the fault applies, or `*` for any request. */
  readonly route: string
  /** Fault to apply. */
  readonly fault: Fault
  /** Number of requests to which the fault still applies; `null` for all. */
  readonly left: number | null
  /** Number of requests to which the fault was applied. */
  readonly used: number
}

/** Effects of the injector's methods on other parts of the fake. */
interface FaultEffects {
  readonly clearDeliveries: () => void
  /** Notifies the console. */
  readonly changed: () => void
}

/** Injector of faults into requests. By default, a fault applies to one request. */
export class FaultInjector {
  readonly #state: () => FaultState
  readonly #rateLimit: RateLimit
  readonly #fraction: () => number
  readonly #effects: FaultEffects

  constructor(state: () => FaultState, rateLimit: RateLimit, effects: FaultEffects) {
    this.#state = state
    this.#rateLimit = rateLimit
    this.#effects = effects
    this.#fraction = createRandom(() => this.#state().random).fraction
  }

  /**
   * Applies `fault` to the next request to `route`, or to the requests that `when` selects.
   *
   * @param route - Method and path, such as `GET /v1/referrals/{uuid}`, `POST /oauth/token` or `GET /documents/{name}`.
   * A path without template parameters selects that path only. `*` in place of the method or the path stands for any
   * method or any path. `*` alone selects every request.
   * @returns The fault's number, for `remove()` and the request journal.
   * @throws RangeError - The fake does not have the route, a field is unknown or invalid, or `body` or `code` is given
   * without `status`.
   */
  next(route: OpenEnum<KnownFaultRoute>, fault: Fault, when: FaultWhen = {}): number {
    checkRoute(route)
    checkFields(fault, FAULT_RULES, 'fault')
    checkResponseFields(fault)
    checkFields(when, WHEN_RULES, 'fault')
    const { times = 1, nth = 1, probability = 1 } = when
    const state = this.#state()
    state.sequence += 1
    state.rules.push({
      id: state.sequence,
      route,
      fault: structuredClone(fault),
      probability,
      skip: nth - 1,
      left: times === Infinity ? null : times,
      used: 0,
    })
    this.#effects.changed()
    return state.sequence
  }

  /**
   * Responds with 429 to API requests above `limit` in each `perMs` milliseconds of the fake's clock. Requests for
   * tokens and documents, and requests with a fault, do not count. `null` removes the limit.
   *
   * @throws RangeError - `limit` or `perMs` is missing or invalid, or a field is unknown.
   */
  quota(quota: Quota | null): void {
    this.#rateLimit.set(quota)
    this.#effects.changed()
  }

  /** Lists the faults that still apply to requests. */
  list(): PendingFault[] {
    return this.#state().rules.map(({ id, route, fault, left, used }) =>
      structuredClone({ id, route, fault, left, used }),
    )
  }

  /** Removes a fault. Returns whether it was pending. */
  remove(id: number): boolean {
    const state = this.#state()
    const before = state.rules.length
    state.rules = state.rules.filter((rule) => rule.id !== id)
    this.#effects.changed()
    return state.rules.length < before
  }

  /** Removes every fault of requests and deliveries, and the request limit. */
  clear(): void {
    this.#state().rules = []
    this.#rateLimit.set(null)
    this.#effects.clearDeliveries()
    this.#effects.changed()
  }

  /**
   * Asserts that every fault of requests was applied as often as its `times` requires. `Infinity` requires one
   * application. `fake.assertNoUnusedFaults()` also checks delivery faults.
   *
   * @throws Error - Lists each fault that was applied too few times.
   */
  assertNoneUnused(): void {
    const problem = this.unusedProblem()
    if (problem !== undefined) throw new Error(problem)
  }

  /** @internal Describes the faults that were applied too few times; `undefined` without such a fault. */
  unusedProblem(): string | undefined {
    const unused = this.#state().rules.filter((rule) =>
      rule.left === null ? rule.used === 0 : rule.left > 0,
    )
    if (unused.length === 0) return undefined
    const lines = unused.map(
      ({ id, route, left, used }) =>
        `  #${id} ${route}: applied to ${used} ${used === 1 ? 'request' : 'requests'}, ${left ?? 'any number'} left`,
    )
    const count = unused.length === 1 ? '1 fault was' : `${unused.length} faults were`
    return `${count} applied too few times:\n${lines.join('\n')}`
  }

  /** @internal Returns the fault that applies to a request, and counts the request for the pending faults. */
  take(route: Route | undefined, method: string, path: string): AppliedFault | undefined {
    const state = this.#state()
    for (const rule of state.rules) {
      if (!matches(rule.route, route, method, path)) continue
      if (rule.skip > 0) {
        rule.skip -= 1
        continue
      }
      if (rule.probability < 1 && this.#fraction() >= rule.probability) continue
      rule.used += 1
      if (rule.left !== null) rule.left -= 1
      if (rule.left === 0) state.rules = state.rules.filter((other) => other !== rule)
      return { id: rule.id, fault: rule.fault }
    }
    return undefined
  }
}

function matches(pattern: string, route: Route | undefined, method: string, path: string): boolean {
  if (pattern === '*') return true
  const [wantedMethod, wantedPath] = pattern.split(' ')
  if (wantedMethod !== '*' && wantedMethod !== method) return false
  return wantedPath === '*' || wantedPath === route?.path || wantedPath === path
}

function checkRoute(route: string): void {
  if (route === '*') return
  const [method, path, ...rest] = route.split(' ')
  const known = ROUTES.some(
    (row) =>
      (method === '*' || row.method === method) && (path === '*' || matchesTemplate(row.path, path ?? '')),
  )
  if (known && rest.length === 0) return
  const routes = ROUTES.map((row) => `${row.method} ${row.path}`)
  const inVersion = `${method} /v1${path}`
  const meant = routes.includes(inVersion) ? inVersion : similarName(route, routes)
  throw new RangeError(
    `the fake has no route '${route}'${meant === undefined ? '' : `; did you mean '${meant}'?`}; its routes: ${routes.join(', ')}`,
  )
}

/**
 * Returns `true` for a template itself, and for a path that the template matches. Another parameter name, such as
 * `{id}` instead of `{uuid}`, does not match: no request has such a path.
 */
function matchesTemplate(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part === given[at] || (part.startsWith('{') && /^[^{]/.test(given[at] ?? '')))
  )
}
