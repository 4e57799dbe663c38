import fc from 'fast-check'
import type { PathologyClient } from 'pathology-sdk'
import { clientOf, fetchOf } from '../support/clients.js'
import { PROVIDER_NUMBER, UUID } from '../support/samples.js'

export const API = 'https://api.clinic.example/base'

/** A client, and all URLs that it requests from the service. */
export function watched(): { client: PathologyClient; asked: { url: URL; init: RequestInit }[] } {
  const asked: { url: URL; init: RequestInit }[] = []
  const fetch = fetchOf((url, init) => {
    asked.push({ url, init })
    return { uuid: url.pathname.split('/').at(-1), collectionCentres: [], referrals: [], webhooks: [] }
  })
  const client = clientOf(API, {
    authUrl: 'https://auth.clinic.example',
    fetch,
    responseValidation: 'off',
    maxRetries: 0,
  })
  return { client, asked }
}

const RECORD = '[0-9A-Fa-f-]{36}'
const NUMBER = '[0-9A-Za-z]{8}'
const WEBHOOK = String.raw`(?!\.\.?$)[\w.~!'()*%-]+`
const address = { addressLine1: '1 Road', city: 'Hobart', state: 'TAS', country: 'AU' }
const routing = { vendorIds: ['a'], attestation: { attestedBy: 'A', doctorSignedAt: '2026-01-01' } }

type Call = (client: PathologyClient, id: string) => PromiseLike<unknown>

/** Every method that puts a value into its path, and the path that it may become. */
const PATHS: Readonly<Record<string, readonly [path: string, call: Call]>> = {
  'referrals.retrieve': [`referrals/${RECORD}`, (client, id) => client.referrals.retrieve(id)],
  'referrals.update': [`referrals/${RECORD}`, (client, id) => client.referrals.update(id, { address })],
  'referrals.delete': [`referrals/${RECORD}`, (client, id) => client.referrals.delete(id)],
  'referrals.generateResults': [`referrals/${RECORD}`, (client, id) => client.referrals.generateResults(id)],
  'referrals.document': [`referrals/${RECORD}`, (client, id) => client.referrals.document(id)],
  'referrals.waitFor': [
    `referrals/${RECORD}`,
    ({ referrals }, id) => referrals.waitFor(id, { until: () => true }),
  ],
  'results.retrieve': [`results/${RECORD}`, (client, id) => client.results.retrieve(id)],
  'results.document': [`results/${RECORD}`, (client, id) => client.results.document(id)],
  'centres.retrieve': [`collection-centres/${RECORD}`, (client, id) => client.centres.retrieve(id)],
  'providers.retrieve': [`providers/${NUMBER}`, (client, id) => client.providers.retrieve(id)],
  'providers.update': [`providers/${NUMBER}`, (client, id) => client.providers.update(id, { title: 'Dr' })],
  'providers.retire': [`providers/${NUMBER}`, (client, id) => client.providers.retire(id)],
  'providers.requestRouting': [
    `providers/${NUMBER}/routing`,
    (client, id) => client.providers.requestRouting(id, routing),
  ],
  'webhooks.retrieve': [`webhooks/${WEBHOOK}`, (client, id) => client.webhooks.retrieve(id)],
  'webhooks.update': [`webhooks/${WEBHOOK}`, (client, id) => client.webhooks.update(id, { active: true })],
  'webhooks.delete': [`webhooks/${WEBHOOK}`, (client, id) => client.webhooks.delete(id)],
}

export const paths = Object.entries(PATHS).map(([name, [path, call]]) => ({
  ...{ name, call, path: new RegExp(`^/base/v1/${path}$`) },
}))

const pieces = fc.constantFrom(
  ...['..', '.', '/', '\\', '%2e', '%2E%2e', '%2f', '?', '#', ';', ':', '@', '\0', '\r\n', ' ', 'é'],
)
export const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(fc.constantFrom(UUID, PROVIDER_NUMBER, 'wh_1'), pieces, fc.string())
    .map((parts) => parts.join('')),
  fc.tuple(pieces, fc.constantFrom(UUID, PROVIDER_NUMBER, 'wh_1')).map((parts) => parts.join('')),
)
