import type { Open } from '../../contract/open.js'
import type { DomainClock } from '../server/context.js'
import { createRandom } from '../server/random.js'
import { type KnownFaultRoute, ROUTES, type Route } from '../server/routes.js'
import { wholeNumber } from '../server/value-rules.js'
import type { Fault, FaultState, FaultWhen, Quota } from './fault.js'
import { checkParts, FAULT_RULES, WHEN_RULES } from './fault-rules.js'

const QUOTA_RULES = { limit: wholeNumber(0), perMs: wholeNumber(1) } as const

/** What a request meets. */
export interface Meeting {
  readonly id: number
  readonly fault: Fault
}

/** A fault as `faults.list()` shows it. */
export interface WaitingFault {
  /** The fault's number, for `remove()`. */
  readonly id: number
  /** Method and path of the requests it meets. */
  readonly route: string
  /** What goes wrong. */
  readonly fault: Fault
  /** Requests still to meet it; `null` for all. */
  readonly left: number | null
  /** Requests that met it. */
  readonly used: number
}

/** Puts faults in the way of requests: each is used once unless told otherwise. */
export class FaultInjector {
  readonly #state: () => FaultState
  readonly #clock: DomainClock
  readonly #fraction: () => number

  constructor(state: () => FaultState, clock: DomainClock) {
    this.#state = state
    this.#clock = clock
    this.#fraction = createRandom(() => this.#state().random).fraction
  }

  /**
   * The next request to `route` meets `fault`.
   *
   * @param route - Method and path: `GET /v1/referrals/{uuid}`, `POST /oauth/token`, `GET /documents/{name}`; a real
   * path in place of the template meets that one alone; `*` stands for any method or any path.
   * @returns The fault's number, for `remove()` and the request journal.
   * @throws RangeError - The fake has no such route, or a part is unknown or not what it must be.
   */
  next(route: Open<KnownFaultRoute>, fault: Fault, when: FaultWhen = {}): number {
    const { times = 1, nth = 1, probability = 1 } = when
    checkRoute(route)
    checkParts(fault, FAULT_RULES)
    checkParts(when, WHEN_RULES)
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
    return state.sequence
  }

  /** Answers 429 to requests above `limit` in each `perMs` milliseconds of the fake's clock (§8); `null` lifts it. */
  quota(quota: Quota | null): void {
    if (quota !== null) checkParts(quota, QUOTA_RULES)
    this.#state().quota = quota === null ? null : { ...quota, windowStart: this.#clock.now(), used: 0 }
  }

  /** Every fault that still waits for a request. */
  list(): WaitingFault[] {
    return this.#state().rules.map(({ id, route, fault, left, used }) =>
      structuredClone({ id, route, fault, left, used }),
    )
  }

  /** Takes a fault back. */
  remove(id: number): boolean {
    const state = this.#state()
    const before = state.rules.length
    state.rules = state.rules.filter((rule) => rule.id !== id)
    return state.rules.length < before
  }

  /** Takes back every fault and the quota. */
  clear(): void {
    const state = this.#state()
    state.rules = []
    state.quota = null
  }

  /**
   * Makes sure that every fault was met.
   *
   * @throws Error - Naming each fault that was not.
   */
  assertNoneUnused(): void {
    const unused = this.#state().rules.filter((rule) =>
      rule.left === null ? rule.used === 0 : rule.left > 0,
    )
    if (unused.length === 0) return
    const lines = unused.map(
      ({ id, route, left, used }) => `  #${id} ${route}: met ${used} times, ${left ?? 'any number'} left`,
    )
    throw new Error(`${unused.length} faults were never met:\n${lines.join('\n')}`)
  }

  /** @internal What a request meets, if anything; counted. */
  meet(route: Route | undefined, method: string, path: string): Meeting | undefined {
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

  /** @internal Counts a request against the quota; the seconds to wait when it is above. */
  overQuota(): number | undefined {
    const { quota } = this.#state()
    if (quota === null) return undefined
    const now = this.#clock.now()
    if (now >= quota.windowStart + quota.perMs) {
      quota.windowStart = now
      quota.used = 0
    }
    quota.used += 1
    if (quota.used <= quota.limit) return undefined
    return Math.max(1, Math.ceil((quota.windowStart + quota.perMs - now) / 1_000))
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
    (row) => (method === '*' || row.method === method) && (path === '*' || fits(row.path, path ?? '')),
  )
  if (known && rest.length === 0) return
  throw new RangeError(
    `the fake has no route '${route}'; it has ${ROUTES.map((row) => `${row.method} ${row.path}`).join(', ')}`,
  )
}

function fits(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
  )
}
