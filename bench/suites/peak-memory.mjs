import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from '../lib/measure.mjs'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const ROUNDS = 7
const PATH = '/v1/collection-centres?count=10000'

/** @param {string} base */
const programs = (base) => {
  const raw = `const { Pool } = await import('undici'); const { body } = await new Pool('${base}').request({ path: '${PATH}', method: 'GET' }); const page = JSON.parse(await body.text())`
  return [
    { name: 'undici Pool.request + JSON.parse', code: raw },
    { name: 'first row repeated (measurement error)', code: raw },
    {
      name: 'pathology-sdk, checked',
      code: `const { PathologyClient } = await import('../dist/index.js'); const page = await new PathologyClient({ baseUrl: '${base}', authUrl: '${base}', clientId: 'i', clientSecret: 's' }).centres.list({ count: 10_000 }).firstPage()`,
    },
    { name: 'global fetch', code: `const page = await (await fetch('${base}${PATH}')).json()` },
    {
      name: 'openai',
      code: `const page = await new (await import('openai')).default({ apiKey: 'k', baseURL: '${base}/v1' }).get('/collection-centres?count=10000')`,
    },
    {
      name: '@octokit/core',
      code: `const page = await new (await import('@octokit/core')).Octokit({ baseUrl: '${base}' }).request('GET ${PATH}')`,
    },
  ]
}

/**
 * Measures the maximum memory, in megabytes, of a process that reads one page of 5,900 collection centres.
 * @param {string} base
 */
export async function peakMemory(base) {
  const all = programs(base)
  /** @type {number[][]} */
  const peaks = all.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { code }] of all.entries()) {
      const source = `${code}; console.log(process.resourceUsage().maxRSS); process.exit(page ? 0 : 1)`
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
        cwd,
      })
      peaks[index]?.push(Number(stdout) / 1_024)
    }
  }
  const limit = median(peaks[0] ?? [])
  return all.map(({ name }, index) => {
    const megabytes = median(peaks[index] ?? [])
    return { name, megabytes, ratio: megabytes / limit }
  })
}
