import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from '../lib/measure.mjs'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const ROUNDS = 9

/** Programs to measure. `race` adds the code that prints their run time in milliseconds. */
const imports = [
  { name: 'undici', code: "await import('undici')" },
  { name: 'first row repeated (measurement error)', code: "await import('undici')" },
  {
    name: 'pathology-sdk, with a client',
    code: "const { PathologyClient } = await import('../dist/index.js'); new PathologyClient({ baseUrl: 'https://a.example', authUrl: 'https://b.example', clientId: 'i', clientSecret: 's' })",
  },
  { name: 'pathology-sdk/webhooks', code: "await import('../dist/webhooks.js')" },
  { name: 'stripe', code: "new (await import('stripe')).default('sk')" },
  { name: 'openai', code: "new (await import('openai')).default({ apiKey: 'k' })" },
  { name: '@octokit/core', code: "new (await import('@octokit/core')).Octokit()" },
  { name: 'standardwebhooks', code: "await import('standardwebhooks')" },
]

/** @param {string} base */
const firstCalls = (base) => {
  const raw = `const { Pool } = await import('undici'); const pool = new Pool('${base}'); const t = await (await pool.request({ path: '/oauth/token', method: 'POST', body: 'grant_type=client_credentials' })).body.json(); await (await pool.request({ path: '/v1/referrals/0b0e8f1c-1111-4222-8333-000000000001', method: 'GET', headers: { authorization: 'Bearer ' + t.access_token } })).body.json()`
  return [
    { name: 'raw undici: token, then GET', code: raw },
    { name: 'first row repeated (measurement error)', code: raw },
    {
      name: 'pathology-sdk: import, client, GET',
      code: `const { PathologyClient } = await import('../dist/index.js'); await new PathologyClient({ baseUrl: '${base}', authUrl: '${base}', clientId: 'i', clientSecret: 's' }).referrals.retrieve('0b0e8f1c-1111-4222-8333-000000000001')`,
    },
  ]
}

/** @param {readonly { readonly name: string, readonly code: string }[]} programs */
async function race(programs) {
  /** @type {number[][]} */
  const times = programs.map(() => [])
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, { code }] of programs.entries()) {
      const source = `const start = performance.now(); ${code}; console.log(performance.now() - start); process.exit(0)`
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
        cwd,
      })
      if (round > 0) times[index]?.push(Number(stdout))
    }
  }
  const rows = programs.map(({ name }, index) => ({ name, wall: median(times[index] ?? []) * 1_000 }))
  const limit = rows[0]?.wall ?? Number.NaN
  return rows.map((row) => ({ ...row, wallRatio: row.wall / limit }))
}

/**
 * Measures the time to load the code, and the time of the first call.
 * @param {string} base
 */
export async function startUp(base) {
  return {
    'import and construct': await race(imports),
    'import, construct and the first call': await race(firstCalls(base)),
  }
}
