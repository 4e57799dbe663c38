import fc from 'fast-check'
import * as sdk from 'pathology-sdk'
import * as display from 'pathology-sdk/display'
import * as forms from 'pathology-sdk/forms'
import * as webhooks from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'

/** Exported functions that read data of the service, or data that may come from it. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  reportLines: (value) => display.reportLines(value as display.ReportSource),
  reportText: (value) => display.reportText(value as display.ReportSource),
  orderKeyOf: sdk.orderKeyOf,
  flagOf: (value) => display.flagOf(value as display.RangedValue),
  formatRange: (value) => display.formatRange(value as display.RangedValue),
  formatOpeningHours: (value) => display.formatOpeningHours(value as never),
  numberOf: (value) => display.numberOf(value as display.RangedValue),
  issuesByField: (value) => forms.issuesByField(value as never),
  isMedicareReferral: (value) => sdk.isMedicareReferral(value as sdk.Referral),
  isPathologyError: (value) => sdk.isPathologyError(value),
  'isPathologyError with a code': (value) => sdk.isPathologyError(value, 'TIMEOUT'),
  checkMedicareCardNumber: forms.checkMedicareCardNumber,
  'checkMedicareCardNumber with options': (value) =>
    forms.checkMedicareCardNumber('2951873125', value as never),
  checkProviderNumber: forms.checkProviderNumber,
  checkDvaNumber: forms.checkDvaNumber,
  isMedicareCardNumber: forms.isMedicareCardNumber,
  isProviderNumber: forms.isProviderNumber,
  isDvaNumber: forms.isDvaNumber,
  normaliseMedicareCardNumber: (value) => forms.normaliseMedicareCardNumber(value as string),
  normaliseProviderNumber: (value) => forms.normaliseProviderNumber(value as string),
  normaliseDvaNumber: (value) => forms.normaliseDvaNumber(value as string),
  parseWebhookEvent: webhooks.parseWebhookEvent,
  isKnownEvent: (value) => webhooks.isKnownEvent(value as webhooks.WebhookEvent),
  'verifyWebhookSync, body': (value) => webhooks.verifyWebhookSync(value as string, SIGNATURE, 'secret'),
  'verifyWebhookSync, headers': (value) => webhooks.verifyWebhookSync('{}', value as string, 'secret'),
  'verifyWebhookSync, secrets': (value) => webhooks.verifyWebhookSync('{}', SIGNATURE, value as string),
  deliveryTime: (value) => webhooks.deliveryTime(value as webhooks.WebhookHeaders),
}

const SIGNATURE = '0'.repeat(64)

const GUARDS = Object.entries({ ...webhooks, ...display }).filter(([name]) =>
  /^is(Known|Updatable|Australian)/.test(name),
)

const FIELDS = [
  ...[
    'report',
    'pit',
    'metadata',
    'data',
    sdk.ORDER_KEY_FIELD,
    'medicare',
    'bulkBilled',
    'eventName',
    'eventUuid',
  ],
  ...['version', 'name', 'code', 'requireIrn', 'headers', 'get', 'length', '0', 'x-svc-delivery-time'],
]

/** JSON with the fields that the functions read, which contain JSON again. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: fc.oneof(fc.constantFrom(undefined, null, 7, '', 'text'), fc.jsonValue()), weight: 2 },
    { arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), tie('value'), { maxKeys: 4 }), weight: 3 },
    { arbitrary: fc.array(tie('value'), { maxLength: 4 }), weight: 1 },
  ),
}))

/** Result of a read. Fails for every error that is not of this package. */
function read(reader: (given: unknown) => unknown, given: unknown): unknown {
  try {
    return reader(given)
  } catch (error) {
    if (error instanceof sdk.PathologyError || error instanceof webhooks.PathologyError) return undefined
    throw new Error('not an error of this package', { cause: error })
  }
}

it.each(Object.entries(READERS))(
  '%s returns the readable part of unusual data, or throws an error of this package (property)',
  (_, reader) => {
    fc.assert(
      fc.property(value, (given) => {
        read(reader, given)
      }),
      { numRuns: 150 },
    )
  },
)

it.each(GUARDS)('%s is false for a value that is not text (property)', (_, guard) => {
  fc.assert(
    fc.property(
      value.filter((given) => typeof given !== 'string'),
      (given) => {
        expect(read(guard as (value: unknown) => unknown, given)).toBe(false)
      },
    ),
    { numRuns: 100 },
  )
})

it('every exported function is tested with unusual data, or reads no data of the service', () => {
  const others = [
    ...[
      'encryptedTokenStore',
      'memoryOrderLedger',
      'orderFromForm',
      'createWebhookReceiver',
      'memoryDedupeStore',
    ],
    ...['queueDecision', 'signWebhook', 'verifyWebhook', 'verifyWebhookSync'],
  ]
  const read = new Set([...Object.keys(READERS), ...GUARDS.map(([name]) => name), ...others])
  const exported = Object.entries({ ...sdk, ...display, ...forms, ...webhooks }).filter(
    ([, entry]) => typeof entry === 'function' && !/^class\b/.test(String(entry)),
  )
  expect(exported.map(([name]) => name).filter((name) => !read.has(name))).toEqual([])
})

const line = { code: null, text: 'Sodium 140' }

it.each<[unknown, readonly object[]]>([
  ...[undefined, null, {}, { report: 'Sodium 140' }, { report: { pit: 7 } }, { report: { pit: null } }].map(
    (result): [unknown, object[]] => [result, []],
  ),
  [{ report: { pit: 'Sodium 140' } }, [{ message: 0, ...line }]],
  [
    { report: { pit: [null, 'Sodium 140', 7, {}, 'Sodium 140'] } },
    [1, 4].map((message) => ({ message, ...line })),
  ],
])('of the report in %j, the readable messages are returned, with their index (§2.5)', (result, lines) => {
  expect(display.reportLines(result as display.ReportSource)).toEqual(lines)
  expect(display.reportText(result as display.ReportSource)).toBe(lines.map(() => 'Sodium 140').join('\n\n'))
})

it('the dispatch of any value runs its handler, or rejects with an error of this package (§6, property)', async () => {
  const { dispatch } = webhooks.createWebhookReceiver({ secret: 'secret', on: { '*': () => undefined } })
  const event = value.map((data) => ({ eventName: 'a.b', eventUuid: 'e', version: '1.0', data }))
  await fc.assert(
    fc.asyncProperty(fc.oneof(value, event), async (given) => {
      const error: unknown = await dispatch(given as webhooks.WebhookEvent).catch((reason: unknown) => reason)
      expect(error === undefined || error instanceof webhooks.PathologyError).toBe(true)
    }),
    { numRuns: 100 },
  )
})
