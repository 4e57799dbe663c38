import type { KnownTokenErrorCode } from '../../contract/error-codes.js'
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS, WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
import type { TokenOptions } from '../auth/access-tokens.js'
import type { ServerOptions } from '../server/options.js'
import { DIRECTORY_DEFAULTS, type DirectoryOptions } from './directory-options.js'
import { checkOptions, timeOf } from './option-rules.js'
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
export const DEFAULT_FAKE_OPTIONS: ResolvedFakeOptions = {
  seed: 1,
  startTime: undefined,
  environment: 'staging',
  clientId: 'fake-client-id',
  clientSecret: 'fake-client-secret',
  signingSecret: 'fake-signing-secret',
  accessTokenSeconds: ACCESS_TOKEN_SECONDS,
  refreshTokenSeconds: REFRESH_TOKEN_SECONDS,
  tokenErrorStatuses: { 102: 401, 108: 400, 109: 400, 110: 401, 111: 400, 117: 401, 118: 401, 123: 401 },
  errorStatuses: { PROVIDER_NOT_FOUND: 404, PROVIDER_NUMBER_IN_USE: 409 },
  unknownBodyFields: 'reject',
  unknownQueryParameters: 'reject',
  unknownVersion: 'reject',
  maxBodyBytes: 8 * 1024 * 1024,
  compression: true,
  orderLatencyMs: 0,
  listWrapper: 'keyed',
  extraFields: false,
  unknownEnums: false,
  documentUrlLifetimeMs: 15 * 60_000,
  deletedDocumentStatus: 410,
  webhookUrl: undefined,
  sendWebhooks: true,
  webhookTimeoutMs: WEBHOOK_RESPONSE_MS,
  seedReferrals: 60,
  createShape: 'documented',
  createdStatus: 'CREATED',
  orderOutcome: 'accepted',
  issueTiming: 'immediate',
  reissueTiming: 'immediate',
  verifyTiming: 'manual',
  shortMedicareCardCode: 'INVALID_PAYLOAD',
  medicareFieldName: 'medicare',
  deletedReferrals: 'shown',
  repeatedResults: 'regenerate',
  reviewHold: false,
  heldResults: 'shown',
  resultListWrapper: 'keyed',
  resultSortDefault: 'asc',
  undocumentedPayloads: 'as-documented',
  deliveryPickUp: 'from-first-attempt',
  pausedDeliveries: 'sent',
  allowLoopbackWebhooks: false,
  journalLimit: 1_000,
  ...DIRECTORY_DEFAULTS,
}

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

/** Options of the initial data, environment, credentials and refreshes. A running fake cannot change these options. */
const FIXED_OPTIONS: readonly string[] = [
  'seed',
  'startTime',
  'environment',
  'clientId',
  'clientSecret',
  'signingSecret',
  'seedReferrals',
  'centreCount',
  'centreRefresh',
  'webhookUrl',
]

/** Returns `true` when a running fake can change an option. */
export function isChangeable(name: string): boolean {
  return Object.hasOwn(DEFAULT_FAKE_OPTIONS, name) && !FIXED_OPTIONS.includes(name)
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
  const fixed = Object.keys(changes).find((name) => FIXED_OPTIONS.includes(name))
  if (fixed !== undefined) {
    throw new RangeError(
      `option '${fixed}' cannot change while the fake runs: start a new fake with the new value`,
    )
  }
  const resolved = resolveFakeOptions({ ...current, ...changes })
  return Object.fromEntries(Object.entries(resolved).filter(([name]) => Object.hasOwn(changes, name)))
}
