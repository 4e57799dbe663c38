import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RequestParts, RequestValues, redact, safeCode, safeId } from '../../src/client/errors/redact.js'
import { endpoints } from '../../src/contract/endpoints.js'
import { isPlain, REQUEST_FIELDS, RESPONSE_FIELDS } from '../../src/contract/plain-words.js'
import { REQUEST_SCHEMAS, RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'
import { CANARIES } from '../support/canary-values.js'
import { order } from '../support/samples.js'

const bodyOf = (value: unknown): RequestParts => ({ body: JSON.stringify(value) })
const redacted = (text: string, value: unknown = {}): string | undefined =>
  redact(text, new RequestValues(bodyOf(value)))

/** Text made of words that are shown, values, and characters of every kind. */
const word = fc.oneof(
  fc.constantFrom(
    ...'is not must be a the remove removed result value test tests email valid 93 no in'.split(' '),
  ),
  fc.constantFrom(...'Quarrington Short Must Ali May re mo ve *** ** [removed] 0491570156'.split(' ')),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('\n', '\u2028', '\u202e', '\u001b[31m', '; ', ', ', '"', '[field: tests[3]]'),
)
const text = fc
  .array(word, { maxLength: 200 })
  .chain((words) => fc.constantFrom(' ', '', '; ').map((separator) => words.join(separator)))
const value = fc.oneof(
  word,
  fc.array(word, { minLength: 2, maxLength: 7 }).map((words) => words.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

const UUID_BUNDLE = { bundleId: '3b0c1f5e-5c1d-4b7e-9a37-1d2c3b4a5f60' }

/** Names of all fields of schemas, at any depth. */
function fieldsOf(schemas: object): ReadonlySet<string> {
  const fields = new Set<string>()
  const walk = (schema: unknown, depth = 0): void => {
    if (typeof schema !== 'object' || schema === null || depth > 9) return
    const def: unknown = Reflect.get(schema, 'def')
    if (typeof def !== 'object' || def === null) return
    const shape: unknown = Reflect.get(def, 'shape')
    for (const [name, field] of Object.entries(shape ?? {})) {
      fields.add(name)
      walk(field, depth + 1)
    }
    for (const name of ['innerType', 'element', 'in', 'out']) walk(Reflect.get(def, name), depth + 1)
    for (const option of (Reflect.get(def, 'options') as unknown[] | undefined) ?? []) walk(option, depth + 1)
  }
  for (const schema of Object.values(schemas)) walk(schema)
  return fields
}

describe('redaction of texts', () => {
  it('no value of three or more characters remains, in either case (property)', () => {
    fc.assert(
      fc.property(text, fc.array(value, { maxLength: 30 }), (given, values) => {
        const shown = redacted(given, { person: values, metadata: { a: { b: values } } })?.toLowerCase() ?? ''
        for (const each of values) {
          // The marks of hidden words and a word next to them can form a value that contains a mark.
          const isMarked = each.includes('***')
          const isSearched = each.trim().length >= 3 && /[\p{L}\p{N}]/u.test(each) && !isMarked
          if (isSearched) expect(shown.includes(each.trim().toLowerCase()), JSON.stringify(each)).toBe(false)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('the rest is one line of at most 500 ASCII characters, without digits, and is not changed again (property)', () => {
    fc.assert(
      fc.property(text, fc.array(value, { maxLength: 10 }), (given, values) => {
        const shown = redacted(given, values)
        if (shown === undefined) return
        expect(shown).toMatch(/^[ -~]{1,500}$/)
        expect(shown).toMatch(/[a-z]/i)
        expect(shown.replaceAll(/line[12]|base64|v1/gi, '')).not.toMatch(/\d/)
        expect(redacted(shown, values)).toBe(shown)
      }),
      { numRuns: 500 },
    )
  })

  it('values that occur in the mark, or in each other, do not make the text longer', () => {
    const tests = Array.from({ length: 24 }, (_, index) => 're mo ve ed ov em'.split(' ')[index % 6])
    const given = 'remove re mo ve [removed] *** '.repeat(100)
    expect(
      redacted(given, { tests, metadata: { a: 'rem', b: 'ove', c: '***', d: '[removed]' } }),
    ).toBeUndefined()
    expect(redacted(given, { tests })?.length).toBeLessThanOrEqual(500)
  })

  it('10,000 values are searched for, and each is found', () => {
    const metadata = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, `tests${n}`]))
    const last = { ...metadata, last: 'required' }
    expect(redacted('tests is required', last)).toBe('tests is ***')
  })

  it('a request with too many values shows nothing of the text, no unknown code and no id', () => {
    const values = new RequestValues(bodyOf(Array.from({ length: 20_001 }, (_, n) => `value ${n}`)))
    expect(redact('tests is required', values)).toBeUndefined()
    expect(safeCode('SOMETHING_NEW', values)).toBeUndefined()
    expect(safeId('req-1', values)).toBeUndefined()
  })

  it('a long text of one character with values of every length of it is handled in time', () => {
    const values = Array.from({ length: 1_000 }, (_, n) => 'a'.repeat(n + 3))
    expect(redacted(`tests ${'a'.repeat(900)}`, values)).toBeUndefined()
  })
})

describe("words of the service's text", () => {
  it.each([
    ['a result', 'result value 93', {}, 'result value ***'],
    ['a finding', 'the result is positive', {}, 'the result is ***'],
    [
      'a name that is a word',
      'patient Short must be listed',
      { lastName: 'Short' },
      'patient *** must be listed',
    ],
    ['a part of a name', 'Short is too long', { address: { street: '17 Short Road' } }, '*** is too long'],
    ['a value inside a word', 'is not valid', { firstName: 'Ali' }, 'is not ***'],
    ['a value with a line break', 'has no\n"may must"', { notes: 'May\r\nmust' }, 'has no "***"'],
    ['an escaped value', 'has "short\\may"', { notes: 'short\\may' }, 'has "***"'],
    ['control characters', 'name\u001b[31m is\u2028not\u202e valid\u0000', {}, 'name is not valid'],
    ['other alphabets', 'name \u{1d410}uar ⠟⠥ 🇶🇺 ａｂｃ is required', {}, 'name *** is required'],
    ['nothing', 'Wiśniewska', {}, undefined],
    ['two entries', 'tests is required; Wiśniewska', {}, 'tests is required'],
  ])('%s', (_, given, request, shown) => {
    expect(redacted(given, request)).toBe(shown)
  })

  it.each([
    ['a scope', 'missing scope referrals:write', {}],
    ['a scope with the verb create', 'missing scope referrals:create', {}],
    [
      'several scopes',
      'Insufficient scope: requires results:read and webhooks:manage, granted providers:admin',
      {},
    ],
    ['a scope with dots', 'the token is missing the permission referrals.create.own', {}],
    ['names of response fields', 'unknown field biomarkerSummary.isAbnormal, resultsUuid or priceCents', {}],
    ['a known rule', 'must be a calendar date as YYYY-MM-DD; must not be west of the west edge', {}],
    ['a UUID of a bundle', 'unknown bundle 3b0c1f5e-5c1d-4b7e-9a37-1d2c3b4a5f60', UUID_BUNDLE],
    ['a route', 'Cannot POST /v1/referrals/{uuid}', {}],
    ['names of fields', 'address.addressLine1 is required [field: address.addressLine1]', {}],
    ['a known message', 'Unable to find the specified referral', {}],
    ['ids of the request', "unknown test 'vitamin-b12'", { tests: ['vitamin-b12'], lastName: 'Ng' }],
    ['the id of a bundle', 'unknown bundle heart-check', { bundleId: 'heart-check' }],
  ])('%s stays', (_, given, request) => {
    expect(redacted(given, request)).toBe(given)
  })

  it('a word of a response field that describes a finding does not stay', () => {
    expect(redacted('the result is abnormal and critical')).toBe('the result is *** and ***')
  })

  it("no value of an order stays in the service's text, and its catalogue ids do (property)", () => {
    const canaries = Object.values(CANARIES)
    const given = order({
      tests: ['vitamin-b12', 'tsh'],
      bundleId: UUID_BUNDLE.bundleId,
      metadata: { all: canaries, medicare: CANARIES.medicareCard },
    })
    const ours = [
      'referrals:create',
      'vitamin-b12',
      'tsh',
      UUID_BUNDLE.bundleId,
      'priceCents',
      'is not valid for',
    ]
    const values = new RequestValues({ ...bodyOf(given), secrets: () => canaries })
    const parts = fc.array(fc.tuple(fc.constantFrom(...canaries, ...ours), fc.boolean()), { maxLength: 40 })
    fc.assert(
      fc.property(parts, fc.constantFrom(' ', '', '; ', ':', '-', '.'), (words, separator) => {
        const text = words.map(([word, isUpper]) => (isUpper ? word.toUpperCase() : word)).join(separator)
        const shown = redact(text, values)?.toLowerCase() ?? ''
        for (const canary of canaries) expect(shown).not.toContain(canary.toLowerCase())
      }),
      { numRuns: 500 },
    )
    expect(redact(ours.join(', '), values)).toBe(ours.join(', '))
  })

  it.each([
    ['of another order', { tests: ['ferritin'] }],
    ['that is a name too', { tests: ['vitamin-b12'], lastName: 'Vitamin-B12' }],
    ['that is a part of a name too', { tests: ['vitamin-b12'], lastName: 'Mc Vitamin-B12' }],
    ['that is a part of the metadata too', { tests: ['vitamin-b12'], metadata: { a: ['vitamin-b12'] } }],
  ])('an id %s does not stay', (_, request) => {
    expect(redacted("unknown test 'vitamin-b12'", request)).toBe("unknown test '***'")
  })

  it('values of the query and secrets are hidden too', () => {
    const values = new RequestValues({
      path: '/v1/collection-centres?search=Short%20Street&states=tas%2Cthis',
      secrets: () => ['must-be-valid', undefined],
    })
    expect(redact('Short or this must-be-valid is not valid', values)).toBe('*** or *** is not valid')
  })

  it('every field of a request, every route and every status stays', () => {
    const fields = fieldsOf(REQUEST_SCHEMAS)
    expect([...REQUEST_FIELDS]).toEqual([...fields].sort())
    expect([...fields].filter((name) => !isPlain(name))).toEqual([])
    const names = [...fieldsOf(RESPONSE_SCHEMAS)].filter((name) => /[a-z][A-Z]/.test(name))
    expect(RESPONSE_FIELDS).toEqual(names.filter((name) => !fields.has(name)).sort())
    const paths = Object.values(endpoints).flatMap((group) => Object.values(group).map(({ path }) => path))
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => redacted(path) !== path)).toEqual([])
  })
})

describe('codes and ids of the service', () => {
  const values = new RequestValues({
    ...bodyOf({
      lastName: 'Quarrington',
      address: { street: '17 Zephyr Hill' },
      notes: 'for Mary Ann of the long river and the hill',
      metadata: { WILHELMINA: 1, ref: 'abc-77' },
    }),
    path: '/v1/providers/2147661H',
    secrets: () => ['SECRET_ONE_9'],
  })

  it.each(['SOMETHING_NEW', 'RATE_LIMITED', 'FORBIDDEN', 'INVALID_EMAIL', '400'])('%s is shown', (code) => {
    expect(safeCode(code, values)).toBe(code)
  })

  it.each([
    'QUARRINGTON',
    'INVALID_QUARRINGTON',
    'MARY_ANN',
    'WILHELMINA',
    'THURSTON',
    'ZEPHYR_HILL',
    'SECRET_ONE_9',
    'something-new',
    'Something_New',
    'NO',
    'A'.repeat(65),
    '4000',
    '93',
    'NEW\nLINE',
  ])('%j is not shown', (code) => {
    expect(safeCode(code, values)).toBeUndefined()
  })

  it.each([
    'req-1',
    'Root=1-67891233-abcdef012345678912345678',
    '8f3a0c1e-3d0e-4f5b-9b1c-0d6e7f8a9b0c',
    'a+b/c9==',
  ])('id %s is shown', (id) => {
    expect(safeId(id, values)).toBe(id)
  })

  it.each([
    'Quarrington',
    'req-quarrington-1',
    'xxQuarrington7',
    'abc-77',
    '2147661H',
    '29518731251',
    '1961-07-23',
    'a 1',
    'a1\n',
    'a1;b',
    `a1${'x'.repeat(127)}`,
    '',
  ])('id %j is not shown', (id) => {
    expect(safeId(id, values)).toBeUndefined()
  })
})
