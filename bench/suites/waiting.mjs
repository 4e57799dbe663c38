import { setTimeout as sleep } from 'node:timers/promises'
import { PathologyClient } from '../../dist/index.js'
import { clients, rawGet } from '../lib/clients.mjs'
import { compare, timeOnly } from '../lib/measure.mjs'

const PAGES = 40
const WORK_MS = 5

/**
 * @param {AsyncIterable<{ readonly items: readonly unknown[] }>} pages
 * @param {() => Promise<unknown>} work what the consumer does with each page
 */
async function iterate(pages, work) {
  let left = PAGES
  for await (const _ of pages) {
    await work()
    left -= 1
    if (left === 0) return
  }
}

/** @param {(path: string) => Promise<any>} get */
async function* byHand(get) {
  let path = '/slow/v1/referrals'
  for (;;) {
    const { referrals, cursor } = await get(path)
    yield { items: referrals }
    path = `/slow/v1/referrals?cursor=${cursor.cursor}`
  }
}

/**
 * Measures lists whose time is mostly waiting: for the network, or for the network and the consumer's work.
 * @param {string} base
 */
export async function waiting(base) {
  const { pool } = clients(base)
  const sdk = new PathologyClient({
    baseUrl: `${base}/slow`,
    authUrl: base,
    clientId: 'bench',
    clientSecret: 'bench',
  })
  const nothing = () => Promise.resolve()
  const work = () => sleep(WORK_MS)
  /** @param {() => Promise<unknown>} each */
  const contenders = (each) => [
    {
      name: 'undici Pool.request by hand',
      run: () =>
        iterate(
          byHand((path) => rawGet(pool, path)),
          each,
        ),
    },
    { name: 'pathology-sdk', run: () => iterate(sdk.referrals.list().pages(), each) },
    {
      name: 'pathology-sdk, prefetch',
      run: () => iterate(sdk.referrals.list({ prefetch: true }).pages(), each),
    },
  ]
  const plan = { rounds: 7, operations: 1, warmUp: 2 }
  return {
    [`${PAGES} pages, ${WORK_MS} ms of network each, time`]: timeOnly(
      await compare(contenders(nothing), plan),
    ),
    [`${PAGES} pages, ${WORK_MS} ms of network and ${WORK_MS} ms of the consumer's work each, time`]:
      timeOnly(await compare(contenders(work), plan)),
  }
}
