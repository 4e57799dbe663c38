import type { FakeStartOptions } from 'pathology-sdk/testing'
import { expect, it } from 'vitest'
import { OPTION_RULES } from '../../../src/testing/options/option-rules.js'
import { environmentOf } from '../run-command.js'
import { differencesOf, READS, startContractFake, WRITES } from './contract-world.js'

/** Options of fakes, and the only differences that each of them must cause. Options of one fake are independent. */
const SWITCHES: readonly (readonly [
  options: FakeStartOptions,
  words: readonly string[],
  expected: readonly RegExp[],
])[] = [
  [
    {
      listWrapper: 'array',
      resultListWrapper: 'data',
      tokenErrorStatuses: { 109: 401 },
      errorStatuses: { PROVIDER_NOT_FOUND: 400, RESULT_NOT_FOUND: 410 },
      unknownQueryParameters: 'ignore',
      unknownVersion: 'ignore',
      firstVersionTests: 'blood-only',
      bundleSortDefault: 'desc',
      resultSortDefault: 'desc',
      absentProviderDetails: 'null',
    },
    READS,
    [
      /^reading (tests|biomarkers)\.list \(page\) \(whole response\): object with \w+, not array$/,
      /^reading results\.list \(page\) .*: object with results, not object with data$/,
      /^reading oauth\.token \(unsupported grant type\) status: 400, not 401$/,
      /^reading providers\.retrieve \(unknown provider number\) status: 404, not 400 PROVIDER_NOT_FOUND$/,
      /^contract results\.retrieve \(unknown UUID\) status: 404, not 410 RESULT_NOT_FOUND$/,
      /^reading [\w.]+ \(unknown parameter\) status: 400, not 200$/,
      /^reading vendors\.list \(unknown version in the Accept header\) status: 400, not 200$/,
      /^reading tests\.list \(version 1\.0\.0\) tests: the tests of version 1\.1\.0, not another number of tests$/,
      /^reading bundles\.list \(sort\) bundles: the order of sort=asc without sort, not another order$/,
      /^reading results\.list \(sort\) results: the order of sort=asc without sort, not another order$/,
      /^reading providers\.list \(record\) providers\[\]\.(title|phone|email): string, not null$/,
    ],
  ],
  [
    { listWrapper: 'data', unknownEnums: true },
    READS,
    [
      /^reading (tests|biomarkers)\.list \(page\) .*, not object with data$/,
      /^contract [\w.]+ \(record\) (.+\.)?(status|origin|provenance): one of [A-Z_, ]+, not another string$/,
      /^addition bundles\.list \(record\) bundles\[\]\.visibility: /,
    ],
  ],
  [
    {
      extraFields: true,
      medicareFieldName: 'bulkBilled',
      createShape: 'medicare-only',
      unknownBodyFields: 'ignore',
      shortMedicareCardCode: 'INVALID_MEDICARE_NUMBER',
      deletedReferrals: 'gone',
      deletedDocumentStatus: 404,
      repeatedResults: 'reject',
    },
    WRITES,
    [
      /^addition [\w.]+ \([^)]+\) (.+\.)?addedWithoutNotice: no such field, not object$/,
      /^reading referrals\.\w+ \(record\) (referrals\[\]\.)?medicare: boolean, not missing, with bulkBilled instead$/,
      /^reading referrals\.create \(order in version 1\.1\.0\) \(whole response\): array, not object$/,
      /^reading referrals\.create \(unknown field\) status: 400, not 200$/,
      /^reading referrals\.create \(Medicare card without its IRN\) code: INVALID_PAYLOAD, not INVALID_MEDICARE_NUMBER$/,
      /^reading referrals\.retrieve \(deleted referral\) status: 200, not 404$/,
      /^reading referrals\.generateResults \(dummy results again\) status: 200, not 400$/,
    ],
  ],
  [
    { createShape: 'object-when-one', orderOutcome: 'billing-failed' },
    WRITES,
    [
      /^reading referrals\.create \(order in version 1\.1\.0\) \(whole response\): array, not object$/,
      /^reading referrals\.create .* status: ISSUED in time, not BILLING_FAILED$/,
    ],
  ],
  [
    { orderOutcome: 'pending-verification' },
    WRITES,
    [/^reading referrals\.create .* status: ISSUED in time, not PENDING_VERIFICATION$/],
  ],
  [
    { environment: 'production' },
    WRITES,
    [/^contract referrals\.generateResults \(unknown UUID\) code: REFERRAL_NOT_FOUND, not another code$/],
  ],
  [{ issueTiming: 'manual' }, WRITES, [/^reading referrals\.create .* status: ISSUED in time, not CREATED$/]],
  [
    { reissueTiming: 'manual' },
    WRITES,
    [/^reading referrals\.update \(reissue\) status: ISSUED in time, not SCHEDULED_REISSUE$/],
  ],
  [
    { createdStatus: 'ISSUED', reviewHold: true, heldResults: 'withheld' },
    WRITES,
    [
      /^reading results\.retrieve \(dummy results\) status: \w+, not IN_REVIEW$/,
      /^reading results\.retrieve \(dummy results\) biomarkers: at least one biomarker, not empty array$/,
    ],
  ],
]

/** Options of the fake that no response to the check depends on, by the reason. */
const NOT_VISIBLE: Readonly<Record<string, readonly (keyof typeof OPTION_RULES)[]>> = {
  'values and numbers of records': [
    'seed',
    'startTime',
    'seedReferrals',
    'centreCount',
    'clientId',
    'clientSecret',
  ],
  'limits and times that the interface leaves open': [
    ...([
      'accessTokenSeconds',
      'refreshTokenSeconds',
      'maxBodyBytes',
      'orderLatencyMs',
      'compression',
    ] as const),
    ...(['documentUrlLifetimeMs', 'verifyTiming', 'journalLimit', 'signatureMaxBytes'] as const),
  ],
  'webhook deliveries': [
    ...(['signingSecret', 'webhookUrl', 'sendWebhooks', 'webhookTimeoutMs', 'undocumentedPayloads'] as const),
    ...(['deliveryPickUp', 'pausedDeliveries', 'allowLoopbackWebhooks'] as const),
  ],
  'changes of providers, which the check does not make': [
    ...(['providerNumberCheck', 'signatureOnCreate', 'activeRoutingStatuses'] as const),
    ...(['restartedRoutingStatuses', 'routingResponse'] as const),
  ],
  'the weekly refresh': ['retireAfterMissingWeeks', 'centreRefresh'],
}

it.each(
  SWITCHES.map(([options, words, expected]) => [JSON.stringify(options), options, words, expected] as const),
)(
  'contract check reports exactly the differences that the fake with %s has',
  async (_, options, words, expected) => {
    const fake = await startContractFake(options)
    const { differences, code } = await differencesOf(environmentOf(fake), words)
    for (const pattern of expected) expect(differences).toContainEqual(expect.stringMatching(pattern))
    expect(differences.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([])
    expect(code).toBe(differences.some((text) => text.startsWith('contract')) ? 3 : 0)
  },
)

it('contract check is tested with every option of the fake that a response can show', () => {
  const covered = [
    ...SWITCHES.flatMap(([options]) => Object.keys(options)),
    ...Object.values(NOT_VISIBLE).flat(),
  ]
  expect(Object.keys(OPTION_RULES).filter((name) => !covered.includes(name))).toEqual([])
})
