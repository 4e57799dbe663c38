import fc from 'fast-check'
import type { FetchLike, PathologyClient } from 'pathology-sdk'
import { clientOf } from '../support/clients.js'
import { PROVIDER_NUMBER, UUID } from '../support/samples.js'

export const API = 'https://api.clinic.example/base'

/** A client, and all URLs that it requests from the service. */
export function watched(): { client: PathologyClient; asked: { url: URL; init: RequestInit }[] } {
  const asked: { url: URL; init: RequestInit }[] = []
  const fetch: FetchLike = async (input, init) => {
    if (input.endsWith('/oauth/token')) {
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
    }
    asked.push({ url: new URL(input), init })
    return Response.json({
      uuid: new URL(input).pathname.split('/').at(-1),
      collectionCentres: [],
      referrals: [],
      webhooks: [],
    })
  }
  const client = clientOf(API, {
    authUrl: 'https://auth.clinic.example',
    fetch,
    responseValidation: 'off',
    maxRetries: 0,
  })
  return { client, asked }
}

export const DRESSING = { addressLine1: '1 Road', city: 'Hobart', state: 'TAS', country: 'AU' }

/** Every method that puts a value into its path, and the path that it may become. */
export const PATHS: Readonly<
  Record<string, readonly [call: (client: PathologyClient, id: string) => PromiseLike<unknown>, path: RegExp]>
> = {
  'referrals.retrieve': [
    (client, id) => client.referrals.retrieve(id),
    /^\/base\/v1\/referrals\/[0-9a-f-]{36}$/i,
  ],
  'referrals.update': [
    (client, id) => client.referrals.update(id, { address: DRESSING }),
    /^\/base\/v1\/referrals\/[0-9a-f-]{36}$/i,
  ],
  'referrals.delete': [
    (client, id) => client.referrals.delete(id),
    /^\/base\/v1\/referrals\/[0-9a-f-]{36}$/i,
  ],
  'referrals.generateResults': [
    (client, id) => client.referrals.generateResults(id, { partial: true }),
    /^\/base\/v1\/referrals\/[0-9a-f-]{36}$/i,
  ],
  'referrals.document': [
    (client, id) => client.referrals.document(id),
    /^\/base\/v1\/referrals\/[0-9a-f-]{36}$/i,
  ],
  'referrals.waitFor': [
    (client, id) => client.referrals.waitFor(id, { until: () => true }),
    /^\/base\/v1\/referrals\/[0-9a-f-]{36}$/i,
  ],
  'results.retrieve': [(client, id) => client.results.retrieve(id), /^\/base\/v1\/results\/[0-9a-f-]{36}$/i],
  'results.document': [(client, id) => client.results.document(id), /^\/base\/v1\/results\/[0-9a-f-]{36}$/i],
  'centres.retrieve': [
    (client, id) => client.centres.retrieve(id),
    /^\/base\/v1\/collection-centres\/[0-9a-f-]{36}$/i,
  ],
  'providers.retrieve': [
    (client, id) => client.providers.retrieve(id),
    /^\/base\/v1\/providers\/[0-9A-Za-z]{8}$/,
  ],
  'providers.update': [
    (client, id) => client.providers.update(id, { title: 'Dr' }),
    /^\/base\/v1\/providers\/[0-9A-Za-z]{8}$/,
  ],
  'providers.retire': [
    (client, id) => client.providers.retire(id),
    /^\/base\/v1\/providers\/[0-9A-Za-z]{8}$/,
  ],
  'providers.requestRouting': [
    (client, id) =>
      client.providers.requestRouting(id, {
        vendorIds: ['a'],
        attestation: { attestedBy: 'A', doctorSignedAt: '2026-01-01' },
      }),
    /^\/base\/v1\/providers\/[0-9A-Za-z]{8}\/routing$/,
  ],
  'webhooks.retrieve': [
    (client, id) => client.webhooks.retrieve(id),
    /^\/base\/v1\/webhooks\/(?!\.\.?$)[\w.~!'()*%-]+$/,
  ],
  'webhooks.update': [
    (client, id) => client.webhooks.update(id, { active: true }),
    /^\/base\/v1\/webhooks\/(?!\.\.?$)[\w.~!'()*%-]+$/,
  ],
  'webhooks.delete': [
    (client, id) => client.webhooks.delete(id),
    /^\/base\/v1\/webhooks\/(?!\.\.?$)[\w.~!'()*%-]+$/,
  ],
}
export const paths = Object.entries(PATHS).map(([name, [call, path]]) => ({ name, call, path }))

export const pieces = fc.constantFrom(
  '..',
  '.',
  '/',
  '\\',
  '%2e',
  '%2E%2e',
  '%2f',
  '?',
  '#',
  ';',
  ':',
  '@',
  '\0',
  '\r\n',
  ' ',
  'é',
)
export const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(fc.constantFrom(UUID, PROVIDER_NUMBER, 'wh_1'), pieces, fc.string())
    .map((parts) => parts.join('')),
  fc.tuple(pieces, fc.constantFrom(UUID, PROVIDER_NUMBER, 'wh_1')).map((parts) => parts.join('')),
)
