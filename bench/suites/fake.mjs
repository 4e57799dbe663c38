import { PathologyClient } from '../../dist/index.js'
import { cost, median } from '../lib/measure.mjs'
import { startFake } from '../lib/start-fake.mjs'

const MANY = 100_000

const order = {
  firstName: 'Alex',
  lastName: 'Example',
  email: 'alex@example.com',
  phone: '0400 000 000',
  address: {
    addressLine1: '1 Example Street',
    city: 'Fremantle',
    state: 'WA',
    postCode: '6160',
    country: 'AU',
  },
  dob: '1986-04-23',
  gender: 'female',
  tests: ['full-blood-count'],
}

/** Measures the requests per second of the fake in a separate process: at its start, and with many referrals. */
export async function fake() {
  const few = await rates([])
  const many = await rates(['--seed-referrals', String(MANY)])
  return Object.fromEntries(
    Object.entries(few).flatMap(([name, rate]) => [
      [name, rate],
      [`${name}, with ${MANY} referrals stored`, many[name]],
    ]),
  )
}

/**
 * @param {readonly string[]} flags
 * @returns {Promise<Record<string, number>>}
 */
async function rates(flags) {
  const { options, stop } = await startFake(flags)
  try {
    const client = new PathologyClient({ ...options, maxSockets: 64 })
    const [referral] = await client.referrals.list({ count: 1 }).toArray({ limit: 1 })
    let orders = 0
    const measured = {
      'GET /v1/referrals/{uuid}': await rate(4_000, () => client.referrals.retrieve(referral.uuid)),
      'GET /v1/referrals, a page of 20': await rate(1_000, () => client.referrals.list().firstPage()),
      'GET /v1/results, a page of 20': await rate(200, () => client.results.list().firstPage()),
      'POST /v1/referrals': await rate(500, () => {
        orders += 1
        return client.referrals.create({ ...order, referenceNumber: `bench-${orders}` })
      }),
    }
    await client.close()
    return measured
  } finally {
    stop()
  }
}

/**
 * @param {number} operations
 * @param {() => Promise<unknown>} run
 */
async function rate(operations, run) {
  await cost({ name: 'warm-up', run }, operations, 64)
  const found = []
  for (let round = 0; round < 5; round += 1) {
    const { wall } = await cost({ name: 'round', run }, operations, 64)
    found.push(1_000_000 / wall)
  }
  return Math.round(median(found))
}
