import type { ControlInput } from '../control/control-action.js'
import { TokenMethods } from '../control/token-methods.js'
import type { FakeCore } from '../core/fake-core.js'
import { makePerson } from '../seed/people.js'
import { createFetch } from '../transports/fetch.js'
import type { Button, Fields, OwnPage, Page } from './view.js'

const DEFAULT_TESTS = 3
/** Invented Medicare card number with a valid check digit. */
const CARD = '29518731221'
const HEADERS = {
  accept: 'application/vnd.svc.v1.1.0+json',
  'content-type': 'application/json',
  'user-agent': 'pathology-fake console',
}

/** Fields of an order that a user of the console can set. */
export const ORDER_FIELDS: Fields = {
  firstName: 'string',
  lastName: 'string',
  dob: 'string YYYY-MM-DD',
  gender: 'male or female',
  email: 'string',
  phone: 'string',
  referenceNumber: 'string',
  tests: 'list of test ids; default: three blood tests, if bundleId and medicareTests are also missing',
  bundleId: 'string',
  medicareTests: 'list of test ids',
  emailReferralToCustomer: 'boolean',
}

/** Fields of a request that the console sends as a client. */
export const SEND_FIELDS: Fields = {
  method: 'string',
  path: 'string: path and query below the base URL',
  headers: 'object: headers; an access token is added',
  body: 'text: the exact text of the body',
}

export const orderForm: OwnPage = {
  title: 'Place an order',
  path: '/console/order-form',
  description: 'returns the form of a new order',
  page: orderPage,
}

function orderPage(): Page {
  const form: Button = {
    label: 'Place the order',
    method: 'POST',
    path: '/console/order',
    fields: ORDER_FIELDS,
    values: { emailReferralToCustomer: true },
    folded: ['bundleId', 'medicareTests'],
    sample: '/console/sample-order',
    done: 'Order placed',
    href: '#/referrals/{uuid}',
  }
  const hint = 'Sends the order over the API. The fake invents values for empty fields.'
  return { title: 'Place an order', sections: [{ title: 'Order', hint, form }] }
}

/** Returns the button for a request as a client with a new access token. */
export function sendButton(label: string, values: Button['values'] & object): Button {
  return {
    ...{ label, method: 'POST', path: '/console/send', fields: SEND_FIELDS, values },
    ...{ done: 'Sent as request {number}', href: '#/requests/{number}' },
  }
}

type Given = ControlInput['body']

/** Returns an order for an invented patient, with a reference and three blood tests. */
export function sampleOrder({ context, state }: FakeCore): Given {
  const { random, clock } = context
  const blood = state.catalogue.tests.filter(({ sample }) => sample === 'blood').map(({ id }) => id)
  const tests = Array.from({ length: Math.min(DEFAULT_TESTS, blood.length) }, () =>
    blood.splice(random.integer(0, blood.length - 1), 1),
  ).flat()
  const referenceNumber = `CONSOLE-${random.integer(1_000, 9_999)}`
  return { ...makePerson(random, clock.now()), referenceNumber, tests }
}

/**
 * Places an order over the API, as a client does, and invents missing fields. Returns the first referral's UUID. Throws
 * an Error if the API rejects the order.
 */
export async function placeOrder(core: FakeCore, given: Given): Promise<{ uuid: string }> {
  const { tests, ...sample } = sampleOrder(core)
  const hasTests = ['tests', 'bundleId', 'medicareTests'].some((name) => given[name] !== undefined)
  const medicare = given['medicareTests'] === undefined ? {} : medicareFields(core)
  const order = { ...sample, ...(hasTests ? {} : { tests }), ...medicare, ...given }
  const response = await send(core, { method: 'POST', path: '/v1/referrals', body: JSON.stringify(order) })
  const body: unknown = await response.json()
  const [first] = Array.isArray(body) ? body : [body]
  if (!response.ok) {
    const lines = Array.isArray(first?.errorList) ? first.errorList.join('; ') : ''
    throw new Error(`the order was rejected: ${first?.code}: ${lines === '' ? first?.message : lines}`)
  }
  return { uuid: String(first?.uuid) }
}

/** Sends any request over the API, as a client does. Returns its number in the journal, also if a fault hit it. */
export async function sendRequest(core: FakeCore, given: Given): Promise<{ number: number }> {
  const { requests } = core.state.server
  const before = requests.count
  const method = String(given['method'] ?? 'GET')
  const { body, headers } = given
  if (typeof headers === 'string') throw new Error('the headers must be a JSON object')
  const sent = send(core, {
    method,
    path: String(given['path'] ?? ''),
    headers: Object.fromEntries(
      Object.entries(Object(headers ?? {})).map(([name, value]) => [name, String(value)]),
    ),
    ...(typeof body === 'string' && body !== '' && method !== 'GET' ? { body } : {}),
  })
  const failure = await sent.then((response) => response.body?.cancel()).catch((error: unknown) => error)
  const entry = core.requests().findLast((one) => one.number > before && one.method === method)
  if (entry === undefined) throw failure instanceof Error ? failure : new Error('the journal has no request')
  return { number: entry.number }
}

async function send(
  core: FakeCore,
  { method, path, headers = {}, body }: { method: string; path: string; headers?: object; body?: string },
): Promise<Response> {
  const { access_token } = await new TokenMethods(core).issue()
  return createFetch(core)(`${core.origins.api}${path.startsWith('/') ? path : `/${path}`}`, {
    method,
    headers: { ...HEADERS, authorization: `Bearer ${access_token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

/** Returns a card number, and the organisation's first practitioner with a signature if it has one. */
function medicareFields({ state: { providers } }: FakeCore): Given {
  const doctor = providers.records.find(
    ({ organisation, signature }) => organisation === 'own' && signature !== null,
  )
  if (doctor === undefined) return { medicareCardNumber: CARD }
  const { name, address, providerNumber } = doctor
  return { medicareCardNumber: CARD, orderingPractitioner: { name, address, providerNumber } }
}
