import type { FakeCore } from '../core/fake-core.js'
import { catalogueMethods } from '../domain/catalogue-methods.js'
import { centreMethods } from '../domain/centres.js'
import { deliveryMethods } from '../domain/deliveries-methods.js'
import { providerMethods } from '../domain/providers-methods.js'
import { referralMethods } from '../domain/referrals-methods.js'
import { resultMethods } from '../domain/results-methods.js'
import { routingMethods } from '../domain/routing-methods.js'
import { vendorMethods } from '../domain/vendors.js'
import { webhookMethods } from '../domain/webhooks.js'
import type { FakeContext } from '../state/context.js'
import type { DeliveryFault } from '../state/webhooks.js'

/** Every control method of the domain, by group. The fake offers them as methods, and the control API as actions. */
export const CONTROL_METHODS = {
  referrals: referralMethods,
  results: resultMethods,
  routing: routingMethods,
  providers: providerMethods,
  vendors: vendorMethods,
  catalogue: catalogueMethods,
  centres: centreMethods,
  webhooks: webhookMethods,
  deliveries: deliveryMethods,
} as const

export type ControlMethodGroup = keyof typeof CONTROL_METHODS

type ControlMethod = (context: FakeContext, ...rest: never[]) => unknown

/** Control methods without their first parameter, the context, as a user of the fake calls them. */
export type Bound<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (
    context: FakeContext,
    ...rest: infer Rest
  ) => infer Outcome
    ? (...rest: Rest) => Outcome
    : never
}

/** Binds control methods to a fake. Each call runs without interruption. Arguments and results are copied. */
export function bindMethods<Methods extends Readonly<Record<string, ControlMethod>>>(
  core: FakeCore,
  methods: Methods,
): Bound<Methods> {
  const bound = Object.entries(methods).map(([name, method]) => {
    const call = (...rest: never[]): unknown => {
      const copies = structuredClone(rest)
      return structuredClone(core.step((context) => method(context, ...copies)))
    }
    return [name, call] as const
  })
  return Object.fromEntries(bound) as unknown as Bound<Methods>
}

/**
 * Asserts that every fault was applied as often as its `times` requires. `Infinity` requires one application.
 *
 * @throws Error - Lists the faults that were applied too few times.
 */
export function assertNoUnusedFaults(core: FakeCore): void {
  const deliveryProblem = unusedDeliveryProblem(core.state.webhooks.faults)
  const problems = [core.faults.unusedProblem(), deliveryProblem].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

function unusedDeliveryProblem(unused: readonly DeliveryFault[]): string | undefined {
  if (unused.length === 0) return undefined
  const count = unused.length === 1 ? '1 delivery fault was' : `${unused.length} delivery faults were`
  return `${count} applied too few times: ${unused.map(({ kind }) => kind).join(', ')}`
}

/** Adds methods and values to a list, as properties that iteration and comparison ignore. */
export function withMethods<List extends object, Added extends object>(
  list: List,
  methods: Added,
): List & Added {
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(list, name, { value })
  return list as List & Added
}
