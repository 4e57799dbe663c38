import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { cost, median } from '../lib/measure.mjs'

const cli = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))

/** Requests a second that the fake answers, as a process of its own. */
export async function fake() {
  const child = spawn(process.execPath, [cli, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(child.stdout, 'data')
    const ready = JSON.parse(String(line))
    const { PathologyClient } = await import('../../dist/index.js')
    const client = new PathologyClient({ ...pick(ready), maxSockets: 64 })
    const [referral] = await client.referrals.list({ count: 1 }).toArray({ limit: 1 })
    const run = () => client.referrals.retrieve(referral.uuid)
    await cost({ name: 'warm-up', run }, 3_000, 64)
    const rates = []
    for (let round = 0; round < 5; round += 1) {
      const { wall } = await cost({ name: 'GET', run }, 4_000, 64)
      rates.push(1_000_000 / wall)
    }
    await client.close()
    return { 'GET /v1/referrals/{uuid} a second': Math.round(median(rates)) }
  } finally {
    child.kill()
  }
}

/** @param {Record<string, string>} ready */
function pick({ baseUrl, authUrl, clientId, clientSecret }) {
  return { baseUrl, authUrl, clientId, clientSecret }
}
