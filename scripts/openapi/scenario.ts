import { FakePathologyService } from '../../src/testing/index.js'
import { isJsonObject, type Json, type JsonObject, mapValues, toJsonObject } from './json.js'
import type { EndpointId } from './operations.js'
import { EVENT_SUMMARIES } from './operations.js'

/** Requests and responses of the fake, by the name of the operation or event. */
export interface Recorded {
  readonly requests: ReadonlyMap<string, Json>
  readonly responses: ReadonlyMap<string, Json>
  readonly events: ReadonlyMap<string, Json>
}

/** Name of the example of an order in version 1.0.0, which returns one referral. */
export const SINGLE_ORDER = 'referrals.create-1.0.0'

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const PRACTITIONER = { name: 'Dr Ada Quill', address: '1 Rooms Road, Carlton VIC 3053' }

const ORDER = {
  firstName: 'Matilda',
  lastName: 'Nguyen',
  email: 'matilda.nguyen@example.com',
  phone: '0491 570 156',
  address: {
    addressLine1: '12 Wattle Street',
    addressLine2: 'Unit 4',
    city: 'Darwin',
    state: 'NT',
    postCode: '0810',
    country: 'Australia',
  },
  dob: '1984-02-29',
  gender: 'female',
  referenceNumber: 'ORDER-1001',
  tests: ['oestradiol', 'vitamin-d'],
  metadata: { clinic: 'north' },
}

/** Calls every operation of a new fake at least once, and sends every event. Each run returns the same bodies. */
export async function recordScenario(): Promise<Recorded> {
  const fake = new FakePathologyService({ startTime: '2026-03-02T09:00:00Z', seedReferrals: 0 })
  const requests = new Map<string, Json>()
  const responses = new Map<string, Json>()
  const { access_token: token, ...others } = await issueToken(fake)
  responses.set('tokens.issue', {
    access_token: 'the-access-token',
    ...others,
    refresh_token: 'the-refresh-token',
  })
  /** Calls an operation, stores its bodies as its example, and returns the first record. */
  const call: Call = async (name, request, body) => {
    const [method = '', path = ''] = request.split(' ')
    const version = name === SINGLE_ORDER ? '1.0.0' : '1.1.0'
    const response = await fake.fetch(`${fake.baseUrl}/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${String(token)}`,
        accept: `application/vnd.svc.v${version}+json`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json: Json = JSON.parse(await response.text())
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(json)}`)
    if (body !== undefined) requests.set(name, body)
    responses.set(name, shortened(json))
    return firstOf(json)
  }
  await callOperations(call, fake)
  const events = recordEvents(fake)
  await fake.close()
  return { requests, responses, events }
}

type Call = (
  name: EndpointId | typeof SINGLE_ORDER,
  request: string,
  body?: JsonObject,
) => Promise<JsonObject>

async function issueToken(fake: FakePathologyService): Promise<JsonObject> {
  const { clientId, clientSecret, authUrl } = fake.clientOptions()
  const credentials = { client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
  const response = await fake.fetch(`${authUrl}/oauth/token`, { method: 'POST', body })
  return toJsonObject(Object(await response.json()))
}

/** Returns the record of a response, or the first record of its list. */
function firstOf(json: Json): JsonObject {
  const [first] = [json].flat()
  if (!isJsonObject(first)) return {}
  const list = 'object' in first ? undefined : Object.values(first).find((field) => Array.isArray(field))
  const [record] = Array.isArray(list) ? list : [first]
  return isJsonObject(record) ? record : first
}

async function callOperations(call: Call, fake: FakePathologyService): Promise<void> {
  const providerNumber = '2426577T'
  const record = { ...PRACTITIONER, title: 'Dr', encodedSignature: PNG }
  await call('providers.save', 'POST providers', { providerNumber, ...record })
  const vendor = await call('vendors.list', 'GET vendors')
  await call('providers.requestRouting', `POST providers/${providerNumber}/routing`, {
    vendorIds: [vendor['id'] ?? ''],
    attestation: { attestedBy: 'Practice manager', doctorSignedAt: '2026-02-27', reference: 'CONSENT-7' },
  })
  await call('providers.update', `PUT providers/${providerNumber}`, { phone: '03 5550 1234' })
  await call('providers.retrieve', `GET providers/${providerNumber}`)
  await call('providers.list', 'GET providers')

  const first = String((await call(SINGLE_ORDER, 'POST referrals', ORDER))['uuid'])
  const second = await call('referrals.create', 'POST referrals', {
    ...ORDER,
    referenceNumber: 'ORDER-1002',
    medicareTests: ['vitamin-d'],
    orderingPractitioner: { ...PRACTITIONER, providerNumber },
    medicareCardNumber: '29518731221',
    clinicalNotes: 'Fatigue.',
  })
  await fake.clock.advance({ minutes: 1 })
  await call('referrals.retrieve', `GET referrals/${first}`)
  await call('referrals.list', 'GET referrals')
  await call('referrals.generateResults', `PUT referrals/${first}`)
  const uuid = fake.referrals.retrieve(first).resultsUuid ?? ''
  const doctor = { uuid: '5f0c7e3a-1d2b-4c6f-8e9a-0b1c2d3e4f50', firstName: 'Ada', lastName: 'Quill' }
  fake.results.review(uuid, doctor)
  fake.results.receiveIncoming({ tests: ['vitamin-d'] })
  await call('results.retrieve', `GET results/${uuid}`)
  await call('results.list', 'GET results?sort=desc')
  const other = `referrals/${String(second['uuid'])}`
  await call('referrals.update', `PATCH ${other}`, { phone: '0491 570 157', metadata: { clinic: null } })
  await call('referrals.delete', `DELETE ${other}`)

  await call('tests.list', 'GET tests?include=biomarkers')
  await call('biomarkers.list', 'GET biomarkers')
  await call('bundles.list', 'GET bundles')
  await call('prices.calculate', 'POST calculate', { tests: ['vitamin-d'], bundleId: 'iron-check' })
  const near = 'GET collection-centres?lat=-12.46&lng=130.84&radiusKm=50&count=2'
  const centre = await call('centres.list', near)
  await call('centres.retrieve', `GET collection-centres/${String(centre['uuid'])}`)

  const { id } = await call('webhooks.create', 'POST webhooks', {
    url: 'https://hooks.example.com/pathology',
    events: ['referral.issued', 'result.complete'],
  })
  await call('webhooks.retrieve', `GET webhooks/${String(id)}`)
  await call('webhooks.list', 'GET webhooks')
  await call('webhooks.eventNames', 'GET webhook-events')
  await call('webhooks.update', `PATCH webhooks/${String(id)}`, { active: false })
  await call('webhooks.delete', `DELETE webhooks/${String(id)}`)
  const retired = '2426591L'
  await call('providers.save', 'POST providers', {
    ...PRACTITIONER,
    providerNumber: retired,
    encodedSignature: PNG,
  })
  await call('providers.retire', `DELETE providers/${retired}`)
}

function recordEvents(fake: FakePathologyService): Map<string, Json> {
  fake.centres.weeklyRefresh({ created: 1, updated: 2, missing: 1 })
  const sent = (): Map<string, Json> =>
    new Map(
      fake.deliveries
        .events()
        .map(({ eventName, eventUuid, version, data }) => [
          eventName,
          toJsonObject({ eventName, eventUuid, version, data }),
        ]),
    )
  for (const name of Object.keys(EVENT_SUMMARIES)) if (!sent().has(name)) fake.trigger(name)
  return sent()
}

/** Shortens the lists in a body to two entries. A shortened page has the cursor and the numbers of a last page. */
function shortened(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 2).map(shortened)
  if (!isJsonObject(value)) return typeof value === 'string' ? withPublicHost(value) : value
  const short = mapValues(value, (field, name) => (KEPT.has(name) ? field : shortened(field)))
  const records = Object.values(short).find((field) => Array.isArray(field))
  const { cursor, totalResults } = short
  if (!isJsonObject(cursor) || !Array.isArray(records)) return short
  return {
    ...short,
    ...(totalResults !== undefined && { totalResults: records.length }),
    cursor: { cursor: 'the-cursor', count: 20, resultCount: records.length },
  }
}

/** Names of the lists that keep all entries: the seven days of a week, and the messages of a report. */
const KEPT = new Set(['openingHours', 'pit'])

function withPublicHost(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (!url.pathname.startsWith('/documents/')) return text
  return `https://documents.example.com${url.pathname}?expires=1772442960000&signature=the-signature`
}
