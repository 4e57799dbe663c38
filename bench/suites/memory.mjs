import { PathologyClient } from '../../dist/index.js'

const EVERY = 200_000

/**
 * Measures the heap during an iteration over a million records, of a server with 50,000 pages.
 * @param {string} base
 */
export async function memory(base) {
  const client = new PathologyClient({ baseUrl: base, authUrl: base, clientId: 'i', clientSecret: 's' })
  const rows = []
  let records = 0
  let from = process.cpuUsage()
  for await (const _ of client.referrals.list()) {
    records += 1
    if (records % EVERY !== 0) continue
    globalThis.gc?.()
    const { user, system } = process.cpuUsage(from)
    from = process.cpuUsage()
    const megabytes = process.memoryUsage().heapUsed / 1_048_576
    rows.push({ records, megabytes, cpu: (user + system) / EVERY })
  }
  return rows
}
