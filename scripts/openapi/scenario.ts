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
  const recorder = await Recorder.start(fake)
  await recordProviders(recorder)
  await recordOrders(recorder, fake)
  await recordDirectory(recorder)
  await recordWebhooks(recorder)
  const events = recordEvents(fake)
  await fake.close()
  return { requests: recorder.requests, responses: recorder.responses, events }
}

class Recorder {
  readonly requests = new Map<string, Json>()
  readonly responses = new Map<string, Json>()
  readonly #fake: FakePathologyService
  #token = ''

  constructor(fake: FakePathologyService) {
    this.#fake = fake
  }

  static async start(fake: FakePathologyService): Promise<Recorder> {
    const recorder = new Recorder(fake)
    const { clientId, clientSecret } = fake.clientOptions()
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const response = await fake.fetch(`${fake.authUrl}/oauth/token`, { method: 'POST', body })
    const tokens: JsonObject = toJsonObject(Object(await response.json()))
    recorder.#token = String(tokens['access_token'])
    const shown = { ...tokens, access_token: 'the-access-token', refresh_token: 'the-refresh-token' }
    recorder.responses.set('tokens.issue', shown)
    return recorder
  }

  /** Calls an operation and stores its bodies as its example. */
  async call(
    name: EndpointId | typeof SINGLE_ORDER,
    request: `${string} /v1/${string}`,
    body?: JsonObject,
  ): Promise<JsonObject> {
    const [method = '', path = ''] = request.split(' ')
    const version = name === SINGLE_ORDER ? '1.0.0' : '1.1.0'
    const response = await this.#fake.fetch(this.#fake.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: `application/vnd.svc.v${version}+json`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json: Json = JSON.parse(await response.text())
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(json)}`)
    if (body !== undefined) this.requests.set(name, body)
    this.responses.set(name, shortened(json))
    const [first] = [json].flat()
    return isJsonObject(first) ? first : {}
  }
}

async function recordProviders(recorder: Recorder): Promise<void> {
  const providerNumber = '2426577T'
  const record = { providerNumber, ...PRACTITIONER, title: 'Dr', encodedSignature: PNG }
  await recorder.call('providers.save', 'POST /v1/providers', record)
  const path = `/v1/providers/${providerNumber}` as const
  const vendors = await recorder.call('vendors.list', 'GET /v1/vendors')
  const [vendor] = [vendors['vendors'] ?? []].flat()
  await recorder.call('providers.requestRouting', `POST ${path}/routing`, {
    vendorIds: [isJsonObject(vendor) ? (vendor['id'] ?? '') : ''],
    attestation: { attestedBy: 'Practice manager', doctorSignedAt: '2026-02-27', reference: 'CONSENT-7' },
  })
  await recorder.call('providers.update', `PUT ${path}`, { phone: '03 5550 1234' })
  await recorder.call('providers.retrieve', `GET ${path}`)
  await recorder.call('providers.list', 'GET /v1/providers')
}

async function recordOrders(recorder: Recorder, fake: FakePathologyService): Promise<void> {
  const first = await recorder.call(SINGLE_ORDER, 'POST /v1/referrals', ORDER)
  const referral = `/v1/referrals/${String(first['uuid'])}` as const
  const second = await recorder.call('referrals.create', 'POST /v1/referrals', {
    ...ORDER,
    referenceNumber: 'ORDER-1002',
    medicareTests: ['vitamin-d'],
    orderingPractitioner: { ...PRACTITIONER, providerNumber: '2426577T' },
    medicareCardNumber: '29518731221',
    clinicalNotes: 'Fatigue.',
  })
  await fake.clock.advance({ minutes: 1 })
  await recorder.call('referrals.retrieve', `GET ${referral}`)
  await recorder.call('referrals.list', 'GET /v1/referrals')
  await recorder.call('referrals.generateResults', `PUT ${referral}`)
  const { resultsUuid } = fake.referrals.retrieve(String(first['uuid']))
  const result = fake.results.review(resultsUuid ?? '', {
    uuid: '5f0c7e3a-1d2b-4c6f-8e9a-0b1c2d3e4f50',
    firstName: 'Ada',
    lastName: 'Quill',
  })
  fake.results.receiveIncoming({ tests: ['vitamin-d'] })
  await recorder.call('results.retrieve', `GET /v1/results/${result.uuid}`)
  await recorder.call('results.list', 'GET /v1/results?sort=desc')
  const other = `/v1/referrals/${String(second['uuid'])}` as const
  await recorder.call('referrals.update', `PATCH ${other}`, {
    phone: '0491 570 157',
    metadata: { clinic: null },
  })
  await recorder.call('referrals.delete', `DELETE ${other}`)
}

async function recordDirectory(recorder: Recorder): Promise<void> {
  await recorder.call('tests.list', 'GET /v1/tests?include=biomarkers')
  await recorder.call('biomarkers.list', 'GET /v1/biomarkers')
  await recorder.call('bundles.list', 'GET /v1/bundles')
  await recorder.call('prices.calculate', 'POST /v1/calculate', {
    tests: ['vitamin-d'],
    bundleId: 'iron-check',
  })
  const near = 'GET /v1/collection-centres?lat=-12.46&lng=130.84&radiusKm=50&count=2'
  const page = await recorder.call('centres.list', near)
  const [centre] = [page['collectionCentres'] ?? []].flat()
  const uuid = isJsonObject(centre) ? String(centre['uuid']) : ''
  await recorder.call('centres.retrieve', `GET /v1/collection-centres/${uuid}`)
}

async function recordWebhooks(recorder: Recorder): Promise<void> {
  const { id } = await recorder.call('webhooks.create', 'POST /v1/webhooks', {
    url: 'https://hooks.example.com/pathology',
    events: ['referral.issued', 'result.complete'],
  })
  const path = `/v1/webhooks/${String(id)}` as const
  await recorder.call('webhooks.retrieve', `GET ${path}`)
  await recorder.call('webhooks.list', 'GET /v1/webhooks')
  await recorder.call('webhooks.eventNames', 'GET /v1/webhook-events')
  await recorder.call('webhooks.update', `PATCH ${path}`, { active: false })
  await recorder.call('webhooks.delete', `DELETE ${path}`)
  const { providerNumber } = await recorder.call('providers.save', 'POST /v1/providers', {
    ...PRACTITIONER,
    providerNumber: '2426591L',
    encodedSignature: PNG,
  })
  await recorder.call('providers.retire', `DELETE /v1/providers/${String(providerNumber)}`)
}

function recordEvents(fake: FakePathologyService): Map<string, Json> {
  fake.centres.weeklyRefresh({ created: 1, updated: 2, missing: 1 })
  const names = Object.keys(EVENT_SUMMARIES)
  const sent = (): Map<string, Json> =>
    new Map(
      fake.deliveries
        .events()
        .map(({ eventName, eventUuid, version, data }) => [
          eventName,
          JSON.parse(JSON.stringify({ eventName, eventUuid, version, data })),
        ]),
    )
  for (const name of names) if (!sent().has(name)) fake.trigger(name)
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
