import type { KnownTokenErrorCode } from '../../contract/error-codes.js'
import type { TokenOptions } from '../auth/access-tokens.js'
import type { ServerOptions } from '../server/options.js'
import type { DirectoryOptions } from './directory-options.js'
import { checkOptions, column, timeOf } from './option-rules.js'
import type { OrdersOptions } from './orders-options.js'

/** Every option of the fake, with defaults applied. */
export interface ResolvedFakeOptions extends ServerOptions, TokenOptions, OrdersOptions, DirectoryOptions {}

/** Options of the fake. An option that is absent or `undefined` has its default value. */
export type FakeOptions = {
  readonly [Name in keyof ResolvedFakeOptions]?: Name extends 'tokenErrorStatuses'
    ? Readonly<Partial<Record<KnownTokenErrorCode, number>>> | undefined
    : Name extends 'startTime'
      ? number | string | Date | undefined
      : ResolvedFakeOptions[Name] | undefined
}

/** Default of every option; see {@link ResolvedFakeOptions}. */
export const DEFAULT_FAKE_OPTIONS = column(([standard]) => standard) as unknown as ResolvedFakeOptions

/**
 * Checks the options and applies the defaults.
 *
 * @throws RangeError - An option is unknown, or its value is invalid.
 */
export function resolveFakeOptions(fakeOptions: FakeOptions = {}): ResolvedFakeOptions {
  checkOptions(fakeOptions)
  const options = fakeOptions
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const { startTime } = options
  return structuredClone({
    ...DEFAULT_FAKE_OPTIONS,
    ...given,
    startTime: startTime === undefined ? undefined : timeOf(startTime),
    tokenErrorStatuses: { ...DEFAULT_FAKE_OPTIONS.tokenErrorStatuses, ...options.tokenErrorStatuses },
    errorStatuses: { ...DEFAULT_FAKE_OPTIONS.errorStatuses, ...options.errorStatuses },
  })
}

const FIXED = column(([, , fixed]) => fixed === 'fixed')

/** Returns `true` when a running fake can change an option. */
export function isChangeable(name: string): boolean {
  return isOption(name) && !FIXED[name]
}

function isOption(name: string): name is keyof ResolvedFakeOptions {
  return Object.hasOwn(FIXED, name)
}

/**
 * Returns the new values of changed options. `undefined` sets an option to its default.
 *
 * @throws RangeError - An option is unknown or fixed, or its value is invalid.
 */
export function changedOptions(
  current: ResolvedFakeOptions,
  changes: FakeOptions,
): Partial<ResolvedFakeOptions> {
  const fixed = Object.keys(changes).find((name) => isOption(name) && FIXED[name])
  if (fixed !== undefined) {
    throw new RangeError(
      `option '${fixed}' cannot change while the fake runs: start a new fake with the new value`,
    )
  }
  const resolved = resolveFakeOptions({ ...current, ...changes })
  return Object.fromEntries(Object.entries(resolved).filter(([name]) => Object.hasOwn(changes, name)))
}
