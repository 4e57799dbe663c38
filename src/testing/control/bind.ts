import type { FakeCore } from '../core/fake-core.js'
import type { FakeContext } from '../server/context.js'

type Driver = (context: FakeContext, ...rest: never[]) => unknown

/** Drivers as a user of the fake calls them: without the context. */
export type Bound<Drivers> = {
  readonly [Name in keyof Drivers]: Drivers[Name] extends (
    context: FakeContext,
    ...rest: infer Rest
  ) => infer Outcome
    ? (...rest: Rest) => Outcome
    : never
}

/** Binds drivers to a fake: each call is one step, and what goes in or comes out is copied. */
export function bindDrivers<Drivers extends Readonly<Record<string, Driver>>>(
  core: FakeCore,
  drivers: Drivers,
): Bound<Drivers> {
  const bound = Object.entries(drivers).map(([name, driver]) => {
    const call = (...rest: never[]): unknown => {
      const copies = structuredClone(rest)
      return structuredClone(core.step((context) => driver(context, ...copies)))
    }
    return [name, call] as const
  })
  return Object.fromEntries(bound) as unknown as Bound<Drivers>
}

/** A list with methods on it that neither iteration nor comparison sees. */
export function withMethods<List extends object, Methods extends object>(
  list: List,
  methods: Methods,
): List & Methods {
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(list, name, { value })
  return list as List & Methods
}
