import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PathologyClient } from '../../dist/index.js'
import { compare, timeOnly } from '../lib/measure.mjs'
import { startSlowLine } from '../lib/slow-line.mjs'
import { startFake } from '../lib/start-fake.mjs'

const CENTRES = '/v1/collection-centres?count=10000'
const PAGES = 25

/** Measures lists in gzip: the CPU time, and the time of the complete directory of centres over a slow line. */
export async function compression() {
  const { options, stop } = await startFake(['--seed-referrals', '500'])
  try {
    const headers = await authorised(options)
    return { ...(await overLoopback(options, headers)), ...(await overSlowLine(options, headers)) }
  } finally {
    stop()
  }
}

/** @typedef {{ readonly baseUrl: string, readonly authUrl: string, readonly clientId: string, readonly clientSecret: string }} Options */

/**
 * @param {Options} options
 * @param {Record<string, string>} headers
 */
async function overLoopback(options, headers) {
  const client = new PathologyClient(options)
  const byFetch = async () => {
    let cursor = ''
    do {
      const response = await fetch(`${options.baseUrl}/v1/referrals${cursor}`, { headers })
      const page = await response.json()
      cursor = page.cursor?.cursor === undefined ? '' : `?cursor=${page.cursor.cursor}`
    } while (cursor !== '')
  }
  const centres = async () => (await fetch(`${options.baseUrl}${CENTRES}`, { headers })).json()
  const pages = [
    { name: 'global fetch by hand, gzip', run: byFetch },
    { name: 'pathology-sdk', run: () => client.referrals.list().toArray({ limit: 500 }) },
  ]
  const onePage = [
    { name: 'global fetch, gzip', run: centres },
    { name: 'pathology-sdk', run: () => client.centres.list({ count: 10_000 }).firstPage() },
  ]
  const plan = { rounds: 5, operations: 1, warmUp: 2, large: true }
  return {
    [`${PAGES} pages of 20 referrals in gzip`]: await compare(pages, plan),
    'the directory of centres in gzip': await compare(onePage, plan),
  }
}

/**
 * @param {Options} options
 * @param {Record<string, string>} headers
 */
async function overSlowLine({ baseUrl, clientId, clientSecret }, headers) {
  const line = await startSlowLine(baseUrl)
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const flags = ['-sS', '--compressed', '-o', '/dev/null', ...lines, `${line.base}${CENTRES}`]
  const curl = () => promisify(execFile)('curl', flags)
  /** Simulates a new process: connects, gets a token and reads every centre. */
  const sync = async () => {
    const own = { baseUrl: line.base, authUrl: `${line.base}/auth` }
    const client = new PathologyClient({ ...own, clientId, clientSecret })
    await client.centres.list({ count: 10_000 }).toArray({ limit: 10_000 })
    await client.close()
  }
  const contenders = [
    { name: 'curl --compressed, with a token', run: curl },
    { name: 'pathology-sdk, with its token request', run: sync },
  ]
  const rows = await compare(contenders, { rounds: 3, operations: 1, warmUp: 0 })
  line.stop()
  const title = 'the directory of centres over a connection with 2 Mbit/s and 200 ms latency, time'
  return { [title]: timeOnly(rows) }
}

/** @param {Options} options */
async function authorised({ authUrl, clientId, clientSecret }) {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams(fields)
  const response = await fetch(`${authUrl}/oauth/token`, { method: 'POST', body })
  const { access_token: token } = await response.json()
  return { authorization: `Bearer ${token}`, accept: 'application/vnd.svc.v1.1.0+json' }
}
