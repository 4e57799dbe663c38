import { centres } from '../lib/bodies.mjs'
import { clients, fetchGet, rawGet } from '../lib/clients.mjs'
import { compare } from '../lib/measure.mjs'

/** @param {AsyncIterable<unknown>} list */
async function count(list) {
  let records = 0
  for await (const _ of list) records += 1
  return records
}

/** @param {(path: string) => Promise<any>} get */
async function byHand(get) {
  let records = 0
  let cursor
  do {
    const page = await get(cursor === undefined ? '/v1/referrals' : `/v1/referrals?cursor=${cursor}`)
    for (const _ of page.referrals) records += 1
    cursor = page.cursor?.cursor
  } while (cursor !== undefined)
  return records
}

/**
 * Measures an iteration over 295 pages of 20 records, and over one page of 5,900 records.
 * @param {string} base
 */
export async function lists(base) {
  const { pool, stripe, openai, octokit, sdk } = clients(base)
  const path = '/v1/collection-centres?count=10000'
  const paging = [
    { name: 'undici Pool.request by hand', run: () => byHand((page) => rawGet(pool, page)) },
    { name: 'pathology-sdk', run: () => count(sdk.referrals.list()) },
    { name: 'pathology-sdk, prefetch', run: () => count(sdk.referrals.list({ prefetch: true })) },
    { name: 'global fetch by hand', run: () => byHand((page) => fetchGet(base, page)) },
    { name: 'stripe', run: () => count(stripe.customers.list({ limit: 20 })) },
    { name: 'openai', run: () => count(openai.files.list({ limit: 20 })) },
    {
      name: '@octokit/core by hand',
      run: () => byHand(async (page) => (await octokit.request(`GET ${page}`)).data),
    },
  ]
  const onePage = [
    { name: 'undici Pool.request + JSON.parse', run: () => rawGet(pool, path) },
    { name: 'pathology-sdk, checked', run: () => sdk.centres.list({ count: 10_000 }).firstPage() },
    { name: 'global fetch', run: () => fetchGet(base, path) },
    { name: 'openai', run: () => openai.get('/collection-centres?count=10000') },
    { name: '@octokit/core', run: () => octokit.request(`GET ${path}`) },
  ]
  return {
    '295 pages of 20 records': await compare(paging, { rounds: 20, operations: 1, warmUp: 8 }),
    'one page of 5,900 collection centres': await compare(onePage, {
      rounds: 7,
      operations: 3,
      warmUp: 3,
      large: true,
    }),
  }
}

/** Measures the check of 5,900 centres against the contract, in comparison with the parser. */
export async function checking() {
  const { CHECKS } = await import('../../src/contract/generated/checks.ts')
  const items = centres()
  const text = JSON.stringify(items)
  const contenders = [
    { name: 'JSON.parse of the centres', run: () => JSON.parse(text) },
    {
      name: 'pathology-sdk: the check',
      run: () => items.every((item) => CHECKS.CollectionCentre(item)),
    },
  ]
  return {
    'check of 5,900 collection centres against the contract': await compare(contenders, {
      rounds: 9,
      operations: 5,
      warmUp: 5,
    }),
  }
}
