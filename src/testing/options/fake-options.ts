import type { KnownTokenErrorCode } from '../../contract/error-codes.js'
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS, WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
import type { KernelOptions } from '../server/options.js'
import { checkOptions } from './check-options.js'
import { DIRECTORY_DEFAULTS, type DirectoryOptions } from './directory-options.js'
import type { OrdersOptions } from './orders-options.js'

/**
 * Every switch of the fake, resolved. Where the specification is silent or can be read in two ways, both
 * readings are here, with the reason for the default.
 */
export interface FakeOptions extends KernelOptions, OrdersOptions, DirectoryOptions {}

/** What a caller may set; `undefined` means the default. */
export type FakeSettings = {
  readonly [Name in keyof FakeOptions]?: Name extends 'tokenErrorStatuses'
    ? Readonly<Partial<Record<KnownTokenErrorCode, number>>> | undefined
    : Name extends 'startTime'
      ? number | string | Date | undefined
      : FakeOptions[Name] | undefined
}

/** See {@link FakeOptions} for each default and its reason. */
export const DEFAULT_FAKE_OPTIONS: FakeOptions = {
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
  unknownBodyFields: 'refuse',
  unknownQueryParameters: 'refuse',
  unknownVersion: 'refuse',
  maxBodyBytes: 8 * 1024 * 1024,
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
  undocumentedPayloads: 'as-documented',
  deliveryPickUp: 'from-first-attempt',
  allowLoopbackWebhooks: false,
  journalLimit: 1_000,
  ...DIRECTORY_DEFAULTS,
}

/**
 * The whole set of options, with defaults for what is left out.
 *
 * @throws RangeError - An option is unknown, or its value is not one it takes.
 */
export function resolveFakeOptions(settings: FakeSettings = {}): FakeOptions {
  checkOptions(settings)
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const { startTime } = settings
  return structuredClone({
    ...DEFAULT_FAKE_OPTIONS,
    ...given,
    startTime: startTime === undefined ? undefined : new Date(startTime).getTime(),
    tokenErrorStatuses: { ...DEFAULT_FAKE_OPTIONS.tokenErrorStatuses, ...settings.tokenErrorStatuses },
    errorStatuses: { ...DEFAULT_FAKE_OPTIONS.errorStatuses, ...settings.errorStatuses },
  })
}
