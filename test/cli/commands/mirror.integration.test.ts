import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signWebhook } from 'pathology-sdk/webhooks'
import { afterAll, expect, it } from 'vitest'

import { createPGliteFolder } from '../../support/pglite.js'
import { withPostgres } from '../../support/postgres.js'
import { freePort } from '../../support/server-process.js'
import { startFake } from '../../testing/support.js'
import { environmentOf, folderWith, runCommand } from '../run-command.js'

const GUIDE_UUID = '7d1f6a52-6f0b-4b7e-8f57-0c6a5d1e2b90'
const UUID = '00000000-0000-4000-8000-000000000001'

const server = await withPostgres()
afterAll(() => server?.stop())

it('mirror serve serves webhooks, health, metrics and a page, and stops when the signal aborts', {
  timeout: 150_000,
}, async () => {
  const fake = await startFake({ seedReferrals: 3, centreCount: 20 })
  const cwd = await folderWith({})
  await createPGliteFolder(join(cwd, 'pathology-mirror'))
  const port = await freePort()
  const env = { ...environmentOf(fake), PATHOLOGY_MIRROR_PORT: String(port) }
  const shortPage = { results: [], cursor: { cursor: 'x', count: 20, resultCount: 1 } }
  fake.faults.next('GET /v1/results', { status: 200, body: shortPage })
  const stop = new AbortController()
  const serving = runCommand(['mirror', 'serve'], { env, cwd, signal: stop.signal })
  const url = `http://127.0.0.1:${port}`
  const get = async (path: string): Promise<Response | undefined> =>
    fetch(`${url}${path}`).catch(() => undefined)
  const count = fake.referrals.all().length
  const status = async (): Promise<Record<string, unknown>> => {
    const response = await get('/status.json')
    return response?.ok ? Object(await response.json()) : {}
  }
  const isCopied = async (): Promise<boolean> => {
    const { referrals, sweeps } = await status()
    // The backfill reads the results after the referrals.
    const runs: readonly unknown[] = Array.isArray(sweeps) ? sweeps : []
    return referrals === count && runs.every((run) => Object(run).finishedAt !== null)
  }
  for (let n = 0; n < 400 && !(await isCopied()); n += 1) await sleep(25)

  expect(await (await get('/healthz'))?.json()).toEqual({ status: 'ok' })
  expect(await runCommand(['mirror', 'serve'], { env, cwd: await folderWith({}) })).toMatchObject({
    code: 1,
    stderr: `pathology: the mirror cannot listen on 127.0.0.1, port ${port}: another program uses this port. The mirror was not started. Set PATHOLOGY_MIRROR_PORT or PATHOLOGY_MIRROR_HOST\n`,
  })
  expect((await get('/readyz'))?.status).toBe(200)
  // Only the running process can open the directory, so the command asks it.
  const asked = await runCommand(['mirror', 'status', '--json'], { env, cwd })
  expect(asked).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(asked.stdout)).toMatchObject({
    ...{ state: 'healthy', referrals: count, service: [{ state: 'reached' }] },
  })
  const metrics = await (await get('/metrics'))?.text()
  expect(metrics).toContain('\npathology_mirror_service_reached{organisation="default"} 1\n')
  expect(metrics).toContain('# TYPE pathology_mirror_lag_seconds gauge\n')
  expect(metrics).toContain(`\npathology_mirror_referrals ${count}\n`)
  for (const line of (metrics ?? '').trim().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[\w*:-]+",?)+\})? [\d.e+-]+)$/)
  }
  const page = await get('/')
  expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page?.text()).toContain('<h1>Pathology mirror</h1>')
  expect((await get('/secret'))?.status).toBe(404)

  const body = JSON.stringify({
    version: '1.0',
    eventName: 'result.created',
    eventUuid: UUID,
    data: { uuid: UUID },
  })
  const headers = { 'x-svc-hmac-sha256': await signWebhook(body, fake.signingSecret) }
  const post = (signature: Record<string, string>) =>
    fetch(`${url}/webhooks`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...signature },
    })
  expect((await post(headers)).status).toBe(200)
  expect((await post({ 'x-svc-hmac-sha256': 'other' })).status).toBe(401)
  expect((await status())['lastEventAt']).toEqual(expect.any(String))

  stop.abort()
  const { code, stderr } = await serving
  expect(code).toBe(0)
  expect(stderr).toContain(`The mirror listens at ${url}`)
  expect(stderr).toContain('pathology-sdk: a response of results.list differs from the contract')
  expect(await get('/healthz')).toBeUndefined()
  const kept = await runCommand(['mirror', 'status', '--json'], { env, cwd })
  expect(JSON.parse(kept.stdout)).toMatchObject({ referrals: count, dead: 0 })

  // Each command would take a second to open the directory again.
  if (server !== undefined) Object.assign(env, { PATHOLOGY_MIRROR_DATABASE: server.url })
  for (const line of guideCommands()) {
    const words = line
      .split(' ')
      .map((word) => (word === GUIDE_UUID ? (fake.referrals.all()[0]?.uuid ?? '') : word))
    const { code, stderr } = await runCommand(words, { env, cwd })
    expect({ line, code, stderr }).toEqual({
      ...{ line, code: 0 },
      stderr: summaryOf(words),
    })
  }
  const shown = await runCommand(['mirror', 'status', '--json'], { env, cwd })
  expect(JSON.parse(shown.stdout)).toMatchObject({ referrals: count - 1, dead: 0 })
  const verified = await runCommand(['mirror', 'verify', '--json'], { env, cwd })
  expect(JSON.parse(verified.stdout)).toMatchObject({ differ: 0 })
  const piped = await runCommand(['mirror', 'verify'], { env, cwd })
  expect(piped.stdout).toBe('organisation,kind,uuid,reason,fields\r\n')
  const dead = await runCommand(['mirror', 'dead', '--uuid', UUID], { env, cwd, isTTY: true })
  expect(dead).toMatchObject({ code: 0, stderr: 'No work of this UUID has failed too often.\n' })
})

/** Returns what a command writes to the standard error, as a matcher. */
function summaryOf(words: readonly string[]): unknown {
  if (words.includes('--retry'))
    return 'Work that is due again: 0. A running mirror (npx pathology mirror serve) repeats it.\n'
  // A sweep can find the results that the short page of the backfill left out.
  if (words.includes('sweep')) return expect.stringMatching(/^(mirror: the sweep .+ had not arrived.+\n)?$/)
  return words.includes('verify') ? expect.stringMatching(/^\d+ compared, 0 differ\n$/) : ''
}

/** Commands of the guide that end by themselves and need no consumer, without the redirection of their output. */
function guideCommands(): string[] {
  const lines = readFileSync('docs/guides/command-line.md', 'utf8').match(/^npx pathology mirror .*$/gm) ?? []
  return lines
    .map((line) => line.replace(/^npx pathology | > .*$/g, ''))
    .filter((line) => !/^mirror (serve|replay|remove-consumer)/.test(line))
}
