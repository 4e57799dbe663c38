import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UUID } from '../lib/clients.mjs'
import { median, withRepeatedFirst } from '../lib/measure.mjs'

/** @typedef {{ readonly name: string, readonly code: string }} Program */

const cwd = fileURLToPath(new URL('..', import.meta.url))
const ROUNDS = 9
const CENTRES = '/v1/collection-centres?count=10000'
const IMPORT = "const { PathologyClient } = await import('../dist/index.js');"

/** @param {string} base */
const newClient = (base) =>
  `new PathologyClient({ baseUrl: '${base}', authUrl: '${base}', clientId: 'i', clientSecret: 's' })`

/** @type {readonly Program[]} */
const IMPORTS = [
  { name: 'undici', code: "await import('undici')" },
  { name: 'pathology-sdk, with a client', code: `${IMPORT} ${newClient('https://a.example')}` },
  { name: 'pathology-sdk/webhooks', code: "await import('../dist/webhooks.js')" },
  { name: 'stripe', code: "new (await import('stripe')).default('sk')" },
  { name: 'openai', code: "new (await import('openai')).default({ apiKey: 'k' })" },
  { name: '@octokit/core', code: "new (await import('@octokit/core')).Octokit()" },
  { name: 'standardwebhooks', code: "await import('standardwebhooks')" },
]

/** @param {string} base @returns {readonly Program[]} */
const firstCalls = (base) => [
  {
    name: 'raw undici: token, then GET',
    code: `const { Pool } = await import('undici'); const pool = new Pool('${base}'); const t = await (await pool.request({ path: '/oauth/token', method: 'POST', body: 'grant_type=client_credentials' })).body.json(); await (await pool.request({ path: '/v1/referrals/${UUID}', method: 'GET', headers: { authorization: 'Bearer ' + t.access_token } })).body.json()`,
  },
  {
    name: 'pathology-sdk: import, client, GET',
    code: `${IMPORT} await ${newClient(base)}.referrals.retrieve('${UUID}')`,
  },
]

/** @param {string} base @returns {readonly Program[]} */
const bigPages = (base) => [
  {
    name: 'undici Pool.request + JSON.parse',
    code: `const { Pool } = await import('undici'); const { body } = await new Pool('${base}').request({ path: '${CENTRES}', method: 'GET' }); const page = JSON.parse(await body.text())`,
  },
  {
    name: 'pathology-sdk, checked',
    code: `${IMPORT} const page = await ${newClient(base)}.centres.list({ count: 10_000 }).firstPage()`,
  },
  { name: 'global fetch', code: `const page = await (await fetch('${base}${CENTRES}')).json()` },
  {
    name: 'openai',
    code: `const page = await new (await import('openai')).default({ apiKey: 'k', baseURL: '${base}/v1' }).get('${CENTRES.replace('/v1', '')}')`,
  },
  {
    name: '@octokit/core',
    code: `const page = await new (await import('@octokit/core')).Octokit({ baseUrl: '${base}' }).request('GET ${CENTRES}')`,
  },
]

/**
 * Runs each program in a process of its own, round by round. Returns the median of the number that each prints.
 * @param {readonly Program[]} given
 * @param {(code: string) => string} printing adds the code that prints the number
 */
async function medians(given, printing) {
  const programs = withRepeatedFirst(given)
  /** @type {number[][]} */
  const found = programs.map(() => [])
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, { code }] of programs.entries()) {
      const words = ['--input-type=module', '-e', printing(code)]
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd })
      // The first round warms up the disk.
      if (round > 0) found[index]?.push(Number(stdout))
    }
  }
  const rows = programs.map(({ name }, index) => ({ name, value: median(found[index] ?? []) }))
  const first = rows[0]?.value ?? Number.NaN
  return rows.map((row) => ({ ...row, ratio: row.value / first }))
}

/** @param {readonly Program[]} programs */
async function race(programs) {
  const rows = await medians(
    programs,
    (code) =>
      `const start = performance.now(); ${code}; console.log(performance.now() - start); process.exit(0)`,
  )
  return rows.map(({ name, value, ratio }) => ({ name, wall: value * 1_000, wallRatio: ratio }))
}

/**
 * Measures the time to load the code, and the time of the first call.
 * @param {string} base
 */
export async function startUp(base) {
  return {
    'import and construct': await race(IMPORTS),
    'import, construct and the first call': await race(firstCalls(base)),
  }
}

/**
 * Measures the maximum memory, in megabytes, of a process that reads one page of 5,900 collection centres.
 * @param {string} base
 */
export async function peakMemory(base) {
  const rows = await medians(
    bigPages(base),
    (code) => `${code}; console.log(process.resourceUsage().maxRSS); process.exit(page ? 0 : 1)`,
  )
  return rows.map(({ name, value, ratio }) => ({ name, megabytes: value / 1_024, ratio }))
}
