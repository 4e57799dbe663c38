import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  checkDvaNumber,
  checkMedicareCardNumber,
  checkProviderNumber,
  isDvaNumber,
  isMedicareCardNumber,
  isProviderNumber,
} from '../../src/contract/identifier-checks.js'
import {
  normaliseDvaNumber,
  normaliseMedicareCardNumber,
  normaliseProviderNumber,
} from '../../src/contract/identifiers.js'

const LOCATIONS = '0123456789ABCDEFGHJKLMNPQRTUVWXY'
const CHECK_LETTERS = 'YXWTLKJHFBA'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const digit = fc.integer({ min: 0, max: 9 })
const oneToNine = fc.integer({ min: 1, max: 9 }).map(String)
const letter = fc.constantFrom(...LETTERS)
const digitsOf = (minLength: number, maxLength: number) =>
  fc.array(digit, { minLength, maxLength }).map((digits) => digits.join(''))

const cardDigits = fc
  .tuple(fc.integer({ min: 2, max: 6 }), fc.tuple(digit, digit, digit, digit, digit, digit, digit))
  .map(([first, [b, c, d, e, f, g, h]]) => {
    const sum = first + 3 * b + 7 * c + 9 * d + e + 3 * f + 7 * g + 9 * h
    return [first, b, c, d, e, f, g, h, sum % 10].join('')
  })
const shortCard = fc.tuple(cardDigits, oneToNine).map((parts) => parts.join(''))
const fullCard = fc.tuple(cardDigits, oneToNine, oneToNine).map((parts) => parts.join(''))
const card = fc.oneof(shortCard, fullCard)

const checkLetterOf = (stem: string, location: string): string => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from(stem, Number)
  const sum = 3 * a + 5 * b + 8 * c + 4 * d + 2 * e + f + 6 * LOCATIONS.indexOf(location)
  return CHECK_LETTERS.charAt(sum % 11)
}
const providerNumber = fc
  .tuple(digitsOf(6, 6), fc.constantFrom(...LOCATIONS))
  .map(([stem, location]) => `${stem}${location}${checkLetterOf(stem, location)}`)

const dvaNumber = fc
  .constantFrom(
    { warLetters: 0, digits: 6 },
    { warLetters: 1, digits: 6 },
    { warLetters: 2, digits: 5 },
    { warLetters: 3, digits: 4 },
  )
  .chain(({ warLetters, digits }) =>
    fc.record({
      state: fc.constantFrom('N', 'V', 'Q', 'S', 'W', 'T'),
      warCode: fc
        .array(letter, { minLength: warLetters, maxLength: warLetters })
        .map((letters) => letters.join('')),
      fileDigits: digitsOf(1, digits),
      dependantLetter: fc.option(letter),
    }),
  )

/** Any placement of separators around and between the characters of an identifier. */
const spaced = (text: string) =>
  fc
    .array(fc.constantFrom('', '', ' ', '-', '\u00a0', '\u2013', ' - '), {
      minLength: text.length + 1,
      maxLength: text.length + 1,
    })
    .map((gaps) => gaps.map((gap, place) => gap + text.charAt(place)).join(''))
const withSpacing = (identifiers: fc.Arbitrary<string>) =>
  identifiers.chain((text) => fc.record({ text: fc.constant(text), written: spaced(text) }))

const notStrings: readonly unknown[] = [undefined, null, 2123456701, 0n, true, ['2123456701'], {}, () => '']

it.each([
  ['2123456701', '2123456701', '1', null],
  ['2428778132', '2428778132', '2', null],
  ['29518731251', '2951873125', '5', '1'],
  ['61405230931', '6140523093', '3', '1'],
  ['6950507391', '6950507391', '1', null],
  ['2123 45670 1', '2123456701', '1', null],
  ['2951-87312-5/1', '2951873125', '5', '1'],
  [' 2951 87312 5 / 1 ', '2951873125', '5', '1'],
])('%s is a Medicare card number (§4.1, §8)', (value, cardNumber, issueNumber, irn) => {
  const normalised = cardNumber + (irn ?? '')
  expect(checkMedicareCardNumber(value)).toEqual({
    valid: true,
    normalised,
    cardNumber,
    issueNumber,
    irn,
  })
  expect(isMedicareCardNumber(value)).toBe(true)
})

it.each([
  ['', 'empty'],
  [' - ', 'empty'],
  ['6950507381', 'check-digit'],
  ['2273766560', 'issue-number'],
  ['1234567892', 'first-digit'],
  ['7123456701', 'first-digit'],
  ['21234567891', 'check-digit'],
  ['21234567010', 'irn'],
  ['212345670', 'length'],
  ['212345670111', 'length'],
  ['21234567O1', 'characters'],
  ['2123456701/', 'characters'],
  ['2123456701/12', 'characters'],
  ['212345670/1', 'characters'],
  ['2123/456701', 'characters'],
  ['2123.45670.1', 'characters'],
  ['٢١٢٣٤٥٦٧٠١', 'characters'],
])('%j is not a Medicare card number: %s (§8)', (value, reason) => {
  expect(checkMedicareCardNumber(value)).toMatchObject({ valid: false, reason })
  expect(isMedicareCardNumber(value)).toBe(false)
})

it('a Medicare card number needs its IRN only if the caller asks for it (§4.1)', () => {
  expect(checkMedicareCardNumber('2123456701', { requireIrn: true })).toMatchObject({
    reason: 'irn-missing',
  })
  expect(checkMedicareCardNumber('6950507381', { requireIrn: true })).toMatchObject({
    reason: 'check-digit',
  })
  expect(isMedicareCardNumber('29518731251', { requireIrn: true })).toBe(true)
  expect(isMedicareCardNumber('2123456701', { requireIrn: false })).toBe(true)
  expect(isMedicareCardNumber('2123456701', { requireIrn: undefined })).toBe(true)
})

it('any valid Medicare card number may have spaces, hyphens and a slash before the IRN (§8)', () => {
  fc.assert(
    fc.property(withSpacing(card), ({ text, written }) => {
      expect(checkMedicareCardNumber(written)).toMatchObject({ valid: true, normalised: text })
    }),
  )
  fc.assert(
    fc.property(fullCard, (text) => {
      expect(normaliseMedicareCardNumber(`${text.slice(0, 10)}/${text.slice(10)}`)).toBe(text)
    }),
  )
})

it('a Medicare card number with one wrong digit among the first nine is rejected: all weights are units modulo 10 (§8)', () => {
  const change = fc.record({
    text: card,
    place: fc.integer({ min: 0, max: 8 }),
    by: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(change, ({ text, place, by }) => {
      const changed = (Number(text.charAt(place)) + by) % 10
      expect(isMedicareCardNumber(`${text.slice(0, place)}${changed}${text.slice(place + 1)}`)).toBe(false)
    }),
  )
})

it.each(['2426621B', '4024742F', '2449001X', '2448301T', '246564QX'])(
  '%s is a Medicare provider number (§2.3, §8)',
  (value) => {
    expect(checkProviderNumber(value)).toEqual({
      valid: true,
      normalised: value,
      stem: value.slice(0, 6),
      locationCharacter: value.charAt(6),
      checkCharacter: value.charAt(7),
    })
    expect(isProviderNumber(value.toLowerCase())).toBe(true)
  },
)

it.each([
  ['2940975Y', 'check-character'],
  ['1234561A', 'check-character'],
  ['2426621C', 'check-character'],
  ['', 'empty'],
  ['2426621', 'malformed'],
  ['2426621BB', 'malformed'],
  ['24266211', 'malformed'],
  ['24266I1B', 'malformed'],
  ['242662IB', 'malformed'],
  ['242662OB', 'malformed'],
  ['242662SB', 'malformed'],
  ['242662ZB', 'malformed'],
  ['2426621/B', 'malformed'],
  ['ﬀ426621B', 'malformed'],
])('%j is not a Medicare provider number: %s (§8)', (value, reason) => {
  expect(checkProviderNumber(value)).toMatchObject({ valid: false, reason })
  expect(isProviderNumber(value)).toBe(false)
})

it('any valid provider number may have spaces, hyphens and lower case (§8)', () => {
  fc.assert(
    fc.property(withSpacing(providerNumber), ({ text, written }) => {
      expect(checkProviderNumber(written.toLowerCase())).toMatchObject({ valid: true, normalised: text })
      expect(normaliseProviderNumber(written)).toBe(text)
    }),
  )
})

it('every well-formed stem and location of a provider number has exactly one check letter (§8)', () => {
  fc.assert(
    fc.property(providerNumber, (text) => {
      const accepted = Array.from(LETTERS, (last) => text.slice(0, 7) + last).filter((number) =>
        isProviderNumber(number),
      )
      expect(accepted).toEqual([text])
    }),
  )
})

it('a provider number with a wrong digit is rejected, and one with a wrong location too, unless that is 11 or 22 places away (§8)', () => {
  fc.assert(
    fc.property(
      providerNumber,
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      (text, place, by) => {
        const changed = (Number(text.charAt(place)) + by) % 10
        expect(
          checkProviderNumber(`${text.slice(0, place)}${changed}${text.slice(place + 1)}`),
        ).toMatchObject({
          reason: 'check-character',
        })
      },
    ),
  )
  fc.assert(
    fc.property(providerNumber, fc.constantFrom(...LOCATIONS), (text, location) => {
      const distance = LOCATIONS.indexOf(location) - LOCATIONS.indexOf(text.charAt(6))
      expect(isProviderNumber(text.slice(0, 6) + location + text.charAt(7))).toBe(distance % 11 === 0)
    }),
  )
})

it.each([
  ['NABC1234C', 'NABC1234C', 'N', 'ABC', '1234', 'C'],
  ['VA123456', 'VA123456', 'V', 'A', '123456', null],
  ['QZX12345Z', 'QZX12345Z', 'Q', 'ZX', '12345', 'Z'],
  ['w x 5 a', 'WX5A', 'W', 'X', '5', 'A'],
  ['N 123456', 'N 123456', 'N', '', '123456', null],
  ['N123456A', 'N 123456A', 'N', '', '123456', 'A'],
  ['S-CGW-0001', 'SCGW0001', 'S', 'CGW', '0001', null],
])('%s is a DVA file number (§4.1)', (value, normalised, state, warCode, fileDigits, dependantLetter) => {
  expect(checkDvaNumber(value)).toEqual({
    valid: true,
    normalised,
    state,
    warCode,
    fileDigits,
    dependantLetter,
  })
  expect(isDvaNumber(value)).toBe(true)
})

it.each([
  ['', 'empty'],
  ['NZX123456Z', 'length'],
  ['NZX123456', 'length'],
  ['VA1234567', 'length'],
  ['N1234567', 'length'],
  ['NABC12345', 'length'],
  ['AB123456', 'state'],
  ['1123456', 'state'],
  ['N', 'format'],
  ['NA', 'format'],
  ['NABCD1234', 'format'],
  ['NA123456ZZ', 'format'],
  ['NA1B2345', 'format'],
  ['NA1234567AB', 'format'],
  ['NA12345?', 'characters'],
  ['NÄ12345', 'characters'],
  ['ſA12345', 'characters'],
])('%j is not a DVA file number: %s (§4.1)', (value, reason) => {
  expect(checkDvaNumber(value)).toMatchObject({ valid: false, reason })
  expect(isDvaNumber(value)).toBe(false)
})

it('the parts of any valid DVA file number are found, with spaces, hyphens and lower case (§4.1)', () => {
  fc.assert(
    fc.property(
      dvaNumber.chain((parts) => {
        const text = `${parts.state}${parts.warCode}${parts.fileDigits}${parts.dependantLetter ?? ''}`
        return fc.record({ parts: fc.constant(parts), written: spaced(text) })
      }),
      ({ parts, written }) => {
        const check = checkDvaNumber(written.toLowerCase())
        expect(check).toMatchObject({ valid: true, ...parts })
        expect(check.valid && check.normalised.length).toBeLessThanOrEqual(9)
        expect(normaliseDvaNumber(normaliseDvaNumber(written))).toBe(normaliseDvaNumber(written))
      },
    ),
  )
})

it('a DVA file number with one digit more than its war code allows is rejected (§4.1)', () => {
  fc.assert(
    fc.property(dvaNumber, ({ state, warCode, dependantLetter }) => {
      const digits = '1'.repeat(8 - Math.max(1, warCode.length))
      expect(checkDvaNumber(`${state}${warCode}${digits}${dependantLetter ?? ''}`)).toMatchObject({
        reason: 'length',
      })
    }),
  )
})

const checks = [checkMedicareCardNumber, checkProviderNumber, checkDvaNumber]

it('every identifier check has a separate issue for a value that is not a string', () => {
  for (const check of checks) {
    for (const value of notStrings) {
      expect(check(value)).toEqual({
        valid: false,
        reason: 'not-a-string',
        message: expect.stringMatching(/ number must be a string$/),
      })
    }
  }
})

it('no identifier check throws or repeats the value: each rule has one message', () => {
  const almost = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'0123456789ABNVQSWTZ -/') }),
    card.map((text) => text.replace(/.$/, 'X')),
    dvaNumber.map(({ state, fileDigits }) => `${state}ZZZZ${fileDigits}`),
  )
  const messages = new Map<string, string>()
  fc.assert(
    fc.property(fc.constantFrom(...checks), almost, (check, value) => {
      const result = check(value)
      if (result.valid) return
      const place = `${check.name} ${result.reason}`
      expect(messages.get(place) ?? result.message).toBe(result.message)
      messages.set(place, result.message)
    }),
    { numRuns: 300 },
  )
  expect(messages.size).toBeGreaterThan(6)
})
