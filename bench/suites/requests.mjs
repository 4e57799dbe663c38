import { clients, fetchGet, PATH, rawDispatch, rawGet, UUID } from '../lib/clients.mjs'
import { compare } from '../lib/measure.mjs'

/**
 * Measures a GET of a 2 KB object: one request at a time, and 64 at the same time.
 * @param {string} base
 */
export async function requests(base) {
  const { pool, stripe, openai, octokit, sdk } = clients(base)
  const contenders = [
    { name: 'undici Pool.request + JSON.parse', run: () => rawGet(pool, PATH) },
    { name: 'undici Pool.dispatch + JSON.parse', run: () => rawDispatch(pool, PATH) },
    { name: 'pathology-sdk', run: () => sdk.referrals.retrieve(UUID) },
    { name: 'global fetch', run: () => fetchGet(base, PATH) },
    { name: 'stripe', run: () => stripe.customers.retrieve(UUID) },
    { name: 'openai', run: () => openai.get(`/referrals/${UUID}`) },
    { name: '@octokit/core', run: () => octokit.request(`GET ${PATH}`) },
  ]
  return {
    'GET of a 2 KB object, one at a time': await compare(contenders, {
      rounds: 40,
      operations: 500,
      warmUp: 2_000,
    }),
    'GET of a 2 KB object, 64 at once': await compare(contenders, {
      rounds: 40,
      operations: 1_000,
      warmUp: 4_000,
      concurrency: 64,
    }),
  }
}
