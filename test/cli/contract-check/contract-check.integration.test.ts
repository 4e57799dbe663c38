import type { FakeStartOptions } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { OPTION_RULES } from '../../../src/testing/options/option-rules.js'
import { environmentOf } from '../run-command.js'
import { differencesOf, READS, startContractFake, WRITES } from './contract-world.js'

/** Options of the fake, and the only differences that each of them must cause. */
const SWITCHES: readonly (readonly [
  options: FakeStartOptions,
  words: readonly string[],
  expected: readonly RegExp[],
])[] = [
  [
    { listWrapper: 'array' },
    READS,
    [/^reading (tests|biomarkers)\.list \(page\) \(whole response\): object with \w+, not array$/],
  ],
  [{ listWrapper: 'data' }, READS, [/^reading (tests|biomarkers)\.list \(page\) .*, not object with data$/]],
  [
    { resultListWrapper: 'data' },
    READS,
    [/^reading results\.list \(page\) .*: object with results, not object with data$/],
  ],
  [
    { extraFields: true },
    WRITES,
    [/^addition [\w.]+ \([^)]+\) (.+\.)?addedWithoutNotice: no such field, not object$/],
  ],
  [
    { unknownEnums: true },
    READS,
    [
      /^contract [\w.]+ \(record\) (.+\.)?(status|origin|provenance): one of [A-Z_, ]+, not another string$/,
      /^addition bundles\.list \(record\) bundles\[\]\.visibility: /,
    ],
  ],
  [
    { medicareFieldName: 'bulkBilled' },
    WRITES,
    [
      /^reading referrals\.\w+ \(record\) (referrals\[\]\.)?medicare: boolean, not missing, with bulkBilled instead$/,
    ],
  ],
  [
    { createShape: 'medicare-only' },
    WRITES,
    [/^reading referrals\.create \(order in version 1\.1\.0\) \(whole response\): array, not object$/],
  ],
  [
    { createShape: 'object-when-one' },
    WRITES,
    [/^reading referrals\.create \(order in version 1\.1\.0\) \(whole response\): array, not object$/],
  ],
  [
    { environment: 'production' },
    WRITES,
    [/^contract referrals\.generateResults \(unknown UUID\) code: REFERRAL_NOT_FOUND, not another code$/],
  ],
  [
    { tokenErrorStatuses: { 109: 401 } },
    READS,
    [/^reading oauth\.token \(unsupported grant type\) status: 400, not 401$/],
  ],
  [
    { errorStatuses: { PROVIDER_NOT_FOUND: 400 } },
    READS,
    [/^reading providers\.retrieve \(unknown provider number\) status: 404, not 400 PROVIDER_NOT_FOUND$/],
  ],
  [
    { errorStatuses: { RESULT_NOT_FOUND: 410 } },
    READS,
    [/^contract results\.retrieve \(unknown UUID\) status: 404, not 410 RESULT_NOT_FOUND$/],
  ],
  [
    { unknownBodyFields: 'ignore' },
    WRITES,
    [/^reading referrals\.create \(unknown field\) status: 400, not 200$/],
  ],
  [
    { unknownQueryParameters: 'ignore' },
    READS,
    [/^reading referrals\.list \(unknown parameter\) status: 400, not 200$/],
  ],
  [
    { unknownVersion: 'ignore' },
    READS,
    [/^reading vendors\.list \(unknown version in the Accept header\) status: 400, not 200$/],
  ],
  [
    { deletedDocumentStatus: 404 },
    WRITES,
    [/^reading referrals\.document \(PDF of a deleted referral\) status: 410, not 404$/],
  ],
  [
    { orderOutcome: 'billing-failed' },
    WRITES,
    [/^reading referrals\.create .* status: ISSUED in time, not BILLING_FAILED$/],
  ],
  [
    { orderOutcome: 'pending-verification' },
    WRITES,
    [/^reading referrals\.create .* status: ISSUED in time, not PENDING_VERIFICATION$/],
  ],
  [
    { issueTiming: 'manual' },
    WRITES,
    [/^contract referrals\.create .* status: ISSUED in time, not CREATED$/],
  ],
  [
    { reissueTiming: 'manual' },
    WRITES,
    [/^contract referrals\.update \(reissue\) status: ISSUED in time, not SCHEDULED_REISSUE$/],
  ],
  [
    { shortMedicareCardCode: 'INVALID_MEDICARE_NUMBER' },
    WRITES,
    [
      /^reading referrals\.create \(Medicare card without its IRN\) code: INVALID_PAYLOAD, not INVALID_MEDICARE_NUMBER$/,
    ],
  ],
  [
    { deletedReferrals: 'gone' },
    WRITES,
    [/^reading referrals\.retrieve \(deleted referral\) status: 200, not 404$/],
  ],
  [
    { repeatedResults: 'reject' },
    WRITES,
    [/^reading referrals\.generateResults \(dummy results again\) status: 200, not 400$/],
  ],
  [
    { reviewHold: true },
    WRITES,
    [/^reading results\.retrieve \(dummy results\) status: \w+, not IN_REVIEW$/],
  ],
  [
    { reviewHold: true, heldResults: 'withheld' },
    WRITES,
    [
      /^reading results\.retrieve \(dummy results\) status: \w+, not IN_REVIEW$/,
      /^reading results\.retrieve \(dummy results\) biomarkers: at least one biomarker, not empty array$/,
    ],
  ],
  [
    { firstVersionTests: 'blood-only' },
    READS,
    [
      /^reading tests\.list \(version 1\.0\.0\) tests: the tests of version 1\.1\.0, not another number of tests$/,
    ],
  ],
  [
    { bundleSortDefault: 'desc' },
    READS,
    [/^reading bundles\.list \(sort\) bundles: the order of sort=asc without sort, not another order$/],
  ],
  [
    { resultSortDefault: 'desc' },
    READS,
    [/^reading results\.list \(sort\) results: the order of sort=asc without sort, not another order$/],
  ],
  [
    { absentProviderDetails: 'null' },
    READS,
    [/^reading providers\.list \(record\) providers\[\]\.(title|phone|email): string, not null$/],
  ],
  [{ createdStatus: 'ISSUED' }, WRITES, []],
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

// The checks wait for PDFs, so they run at the same time.
describe('pathology contract check of the fake with a switch', { timeout: 40_000, concurrent: true }, () => {
  it.for(
    SWITCHES.map(
      ([options, words, expected]) => [JSON.stringify(options), options, words, expected] as const,
    ),
  )(
    'reports exactly the difference that %s causes',
    async ([, options, words, expected], { onTestFinished }) => {
      const fake = await startContractFake(options, onTestFinished)
      const { differences, code } = await differencesOf(environmentOf(fake), words)
      for (const pattern of expected) expect(differences).toContainEqual(expect.stringMatching(pattern))
      expect(differences.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([])
      expect(code).toBe(differences.some((text) => text.startsWith('contract')) ? 3 : 0)
    },
  )

  it('the switches above are all the ones that a response can show', () => {
    const covered = [
      ...SWITCHES.flatMap(([options]) => Object.keys(options)),
      ...Object.values(NOT_VISIBLE).flat(),
    ]
    expect(Object.keys(OPTION_RULES).filter((name) => !covered.includes(name))).toEqual([])
  })
})
