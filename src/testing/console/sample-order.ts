import type { ControlInput } from '../control/control-action.js'
import { TokenMethods } from '../control/token-methods.js'
import type { FakeCore } from '../core/fake-core.js'
import { makePerson } from '../seed/people.js'
import { createFetch } from '../transports/fetch.js'

/** Number of tests in an order whose tests the user does not choose. */
const DEFAULT_TESTS = 3
/** Invented Medicare card number with a valid check digit. */
const CARD = '29518731221'

/** Fields of the order that a user of the console can set. */
export const SAMPLE_FIELDS: Readonly<Record<string, string>> = {
  firstName: 'string',
  lastName: 'string',
  email: 'string',
  dob: 'string YYYY-MM-DD',
  gender: 'male or female',
  referenceNumber: 'string',
  tests: 'list of test ids; default: three blood tests, if bundleId and medicareTests are also missing',
  bundleId: 'string',
  medicareTests: 'list of test ids',
  emailReferralToCustomer: 'boolean',
}

/**
 * Places an order for an invented patient over the API, as a client does. The journal contains the request, and the
 * fake sends the events.
 *
 * @returns The first referral's UUID.
 * @throws Error - The API rejected the order.
 */
export async function placeSampleOrder(
  core: FakeCore,
  given: ControlInput['body'],
): Promise<{ uuid: string }> {
  const { random, clock } = core.context
  const { access_token } = await new TokenMethods(core).issue()
  const person = makePerson(random, clock.now())
  const blood = core.state.catalogue.tests.filter(({ sample }) => sample === 'blood').map(({ id }) => id)
  const hasTests = ['tests', 'bundleId', 'medicareTests'].some((name) => given[name] !== undefined)
  const tests = Array.from({ length: Math.min(DEFAULT_TESTS, blood.length) }, () =>
    blood.splice(random.integer(0, blood.length - 1), 1),
  ).flat()
  const order = {
    ...person,
    referenceNumber: `CONSOLE-${random.integer(1_000, 9_999)}`,
    ...(hasTests ? {} : { tests }),
    ...(given['medicareTests'] === undefined ? {} : medicareFields(core)),
    ...given,
  }
  const response = await createFetch(core)(`${core.origins.api}/v1/referrals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access_token}`,
      accept: 'application/vnd.svc.v1.1.0+json',
      'content-type': 'application/json',
      'user-agent': 'pathology-fake console',
    },
    body: JSON.stringify(order),
  })
  const body: unknown = await response.json()
  const [first] = Array.isArray(body) ? body : [body]
  if (!response.ok) {
    const issues: unknown = first?.errorList
    const lines = Array.isArray(issues) ? issues.join('; ') : ''
    throw new Error(`the order was rejected: ${first?.code}: ${lines === '' ? first?.message : lines}`)
  }
  return { uuid: String(first?.uuid) }
}

/**
 * Returns the Medicare fields of an order: a card number, and the organisation's first practitioner with a signature.
 * If no practitioner has a signature, returns only the card number.
 */
function medicareFields({ state: { providers } }: FakeCore): Readonly<Record<string, unknown>> {
  const doctor = providers.records.find(
    ({ organisation, signature }) => organisation === 'own' && signature !== null,
  )
  if (doctor === undefined) return { medicareCardNumber: CARD }
  const { name, address, providerNumber } = doctor
  return { medicareCardNumber: CARD, orderingPractitioner: { name, address, providerNumber } }
}
