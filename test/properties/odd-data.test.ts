import fc from 'fast-check'
import * as sdk from 'pathology-sdk'
import * as display from 'pathology-sdk/display'
import * as forms from 'pathology-sdk/forms'
import * as webhooks from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'

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
  'report',
  'pit',
  'metadata',
  'data',
  sdk.ORDER_KEY_FIELD,
  'medicare',
  'bulkBilled',
  'eventName',
  'eventUuid',
  'version',
  'name',
  'code',
  'requireIrn',
  'headers',
  'get',
  'length',
  '0',
  'x-svc-delivery-time',
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

describe('unusual data: exported functions return the readable part, or throw an error of this package', () => {
  it.each(Object.entries(READERS))('%s', (_, reader) => {
    fc.assert(
      fc.property(value, (given) => {
        read(reader, given)
      }),
      { numRuns: 400 },
    )
  })

  it.each(GUARDS)('%s: false for a value that is not text', (_, guard) => {
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

  it('every exported function is tested here, or reads no data of the service', () => {
    const others = [
      'encryptedTokenStore',
      'memoryOrderLedger',
      'orderFromForm',
      'createWebhookReceiver',
      'memoryDedupeStore',
      'queueDecision',
      'signWebhook',
      'verifyWebhook',
      'verifyWebhookSync',
    ]
    const read = new Set([...Object.keys(READERS), ...GUARDS.map(([name]) => name), ...others])
    const exported = Object.entries({ ...sdk, ...display, ...forms, ...webhooks }).filter(
      ([, entry]) => typeof entry === 'function' && !/^class\b/.test(String(entry)),
    )
    expect(exported.map(([name]) => name).filter((name) => !read.has(name))).toEqual([])
  })
})

describe('§2.5 a report with missing or invalid parts', () => {
  const line = { code: null, text: 'Sodium 140' }

  it.each([
    ['no result', undefined],
    ['null', null],
    ['a result without a report', {}],
    ['a report of another kind', { report: 'Sodium 140' }],
    ['no list', { report: { pit: 7 } }],
    ['null for a list', { report: { pit: null } }],
  ])('%s: no lines', (_, result) => {
    expect(display.reportLines(result as display.ReportSource)).toEqual([])
    expect(display.reportText(result as display.ReportSource)).toBe('')
  })

  it('messages that are not text, and empty places, are ignored; the others keep their index', () => {
    const pit: unknown[] = [null, 'Sodium 140', 7, {}, 'Sodium 140']
    const result = { report: { pit } } as unknown as display.ReportSource
    expect(display.reportLines(result)).toEqual([
      { message: 1, ...line },
      { message: 4, ...line },
    ])
    expect(display.reportText(result)).toBe('Sodium 140\n\nSodium 140')
  })

  it('a single message that is not in a list is read', () => {
    const result = { report: { pit: 'Sodium 140' } } as unknown as display.ReportSource
    expect(display.reportLines(result)).toEqual([{ message: 0, ...line }])
  })
})

describe('§6 dispatch of a value that is not an event, or of an event with unusual data', () => {
  it('runs its handler, or rejects with an error of this package (property)', async () => {
    const { dispatch } = webhooks.createWebhookReceiver({ secret: 'secret', on: { '*': () => undefined } })
    const event = value.map((data) => ({ eventName: 'a.b', eventUuid: 'e', version: '1.0', data }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(value, event), async (given) => {
        const error: unknown = await dispatch(given as webhooks.WebhookEvent).catch(
          (reason: unknown) => reason,
        )
        expect(error === undefined || error instanceof webhooks.PathologyError).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
