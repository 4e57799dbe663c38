import { isFields } from '../contract/check.js'
import { AUSTRALIAN_STATES, type AustralianState } from '../contract/enums.js'
import { fieldIssue, type IssueDraft } from '../contract/issues.js'
import { orderedTests } from './order-input.js'

type Fields = Readonly<Record<string, unknown>>

/** Earliest plausible date of birth. */
const EARLIEST = '1900-01-01'

/** Difference between UTC and the first time zone that reaches a date, in milliseconds. */
const FIRST_ZONE_MS = 14 * 3_600_000

/**
 * Returns mistakes that the service accepts in an order:
 * - a date of birth in the future or before 1900
 * - a phone number of fewer than eight digits
 * - an email address without a dot in its domain
 * - in an Australian address, a State that does not exist
 * - in an Australian address, a postcode that no State has
 * - in an Australian address, a postcode of another State
 * - tests that occur twice
 *
 * @param order - The order. It may also break the rules of `create`, which are checked elsewhere.
 * @param now - Present time, in milliseconds.
 */
export function plausibilityIssues(order: Fields, now: number): IssueDraft[] {
  const { address } = order
  return [
    ...dateIssues(order['dob'], now),
    ...phoneIssues(order['phone']),
    ...emailIssues(order['email']),
    ...(isFields(address) ? addressIssues(address) : []),
    ...duplicateIssues(order),
  ]
}

function dateIssues(dob: unknown, now: number): IssueDraft[] {
  if (typeof dob !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(dob)) return []
  const today = new Date(now + FIRST_ZONE_MS).toISOString().slice(0, 10)
  if (dob > today) return [fieldIssue(['dob'], 'must not be in the future', { rule: 'future-date' })]
  if (dob >= EARLIEST) return []
  const rule = { rule: 'early-date', params: { earliest: EARLIEST.slice(0, 4) } }
  return [fieldIssue(['dob'], `must not be before ${EARLIEST}`, rule)]
}

/** Digits of an Australian landline without its area code. */
const MIN_PHONE_DIGITS = 8

function phoneIssues(phone: unknown): IssueDraft[] {
  if (typeof phone !== 'string' || phone.trim() === '') return []
  if (phone.replace(/\D/g, '').length >= MIN_PHONE_DIGITS) return []
  const rule = { rule: 'phone-digits', params: { minimum: MIN_PHONE_DIGITS } }
  return [fieldIssue(['phone'], `must have at least ${MIN_PHONE_DIGITS} digits`, rule)]
}

function emailIssues(email: unknown): IssueDraft[] {
  // Any other text without a dot is no email address at all, which the schema reports.
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@.]+$/.test(email)) return []
  return [fieldIssue(['email'], 'must have a dot in its domain', { rule: 'email' })]
}

const AUSTRALIA: ReadonlySet<string> = new Set(['au', 'aus', 'australia'])

const STATE_NAMES: Readonly<Record<AustralianState, string>> = {
  NSW: 'new south wales',
  VIC: 'victoria',
  QLD: 'queensland',
  SA: 'south australia',
  WA: 'western australia',
  TAS: 'tasmania',
  NT: 'northern territory',
  ACT: 'australian capital territory',
}

/** Postcodes of the States, first to last. Postcodes for post office boxes and large receivers are included. */
const POSTCODES: readonly (readonly [state: AustralianState, first: number, last: number])[] = [
  ['NSW', 1000, 2599],
  ['NSW', 2619, 2899],
  ['NSW', 2921, 2999],
  ['ACT', 200, 299],
  ['ACT', 2600, 2618],
  ['ACT', 2900, 2920],
  ['VIC', 3000, 3999],
  ['VIC', 8000, 8999],
  ['QLD', 4000, 4999],
  ['QLD', 9000, 9999],
  ['SA', 5000, 5999],
  ['WA', 6000, 6999],
  ['TAS', 7000, 7999],
  ['NT', 800, 999],
]

/** Additional States of the postcodes with places in several States. */
const SHARED_POSTCODES: Readonly<Partial<Record<AustralianState, readonly number[]>>> = {
  NSW: [2611, 2618, 3500, 3585, 3586, 3644, 3691, 3707, 4375, 4377, 4380, 4383, 4385, 5440],
  VIC: [2648],
  QLD: [862, 2406],
  SA: [872],
  WA: [872],
  NT: [4825],
  ACT: [2540, 2620],
}

/** Checks an address in Australia. Any other address has no issues. */
function addressIssues({ state, postCode, country }: Fields): IssueDraft[] {
  if (typeof country !== 'string' || !AUSTRALIA.has(country.trim().toLowerCase())) return []
  const known = typeof state === 'string' ? stateOf(state) : undefined
  const isState = known !== undefined || typeof state !== 'string' || state.trim() === ''
  const stateRule = `must be a State or territory of Australia, such as ${AUSTRALIAN_STATES.slice(0, 3).join(', ')}`
  const issues = isState ? [] : [fieldIssue(['address', 'state'], stateRule, { rule: 'unknown-state' })]
  return [...issues, ...postcodeIssues(postCode, known)]
}

function stateOf(text: string): AustralianState | undefined {
  const name = text.replaceAll('.', '').trim().replace(/\s+/g, ' ').toLowerCase()
  return AUSTRALIAN_STATES.find((state) => state.toLowerCase() === name || STATE_NAMES[state] === name)
}

function postcodeIssues(postCode: unknown, state: AustralianState | undefined): IssueDraft[] {
  if (typeof postCode !== 'string' || postCode.trim() === '') return []
  const path = ['address', 'postCode']
  const states = statesOf(postCode.trim())
  if (states.length === 0)
    return [fieldIssue(path, 'must be an Australian postcode of four digits', { rule: 'unknown-postcode' })]
  if (state === undefined || states.includes(state)) return []
  const rule = { rule: 'postcode-and-state', params: { states } }
  return [fieldIssue(path, 'must be a postcode of the State in address.state', rule)]
}

function statesOf(postCode: string): readonly AustralianState[] {
  if (!/^\d{4}$/.test(postCode)) return []
  const number = Number(postCode)
  const own = POSTCODES.filter(([, first, last]) => number >= first && number <= last).map(([state]) => state)
  const shared = AUSTRALIAN_STATES.filter((state) => SHARED_POSTCODES[state]?.includes(number))
  return [...own, ...shared]
}

/**
 * Returns the issues of tests that occur twice: a test in both lists would be billed to the organisation and to
 * Medicare.
 */
function duplicateIssues(order: Fields): IssueDraft[] {
  const seen = new Set<string>()
  return orderedTests(order).flatMap(({ id, path }) => {
    const isDuplicate = seen.has(id.trim())
    seen.add(id.trim())
    return isDuplicate ? [fieldIssue(path, 'must not be ordered twice', { rule: 'duplicate' })] : []
  })
}
