import { join } from 'node:path'
import { PathologyClient } from 'pathology-sdk'
import { createMirror } from 'pathology-sdk/mirror'
import { expect, it, onTestFinished } from 'vitest'
import { createPGliteFolder } from '../../support/pglite.js'
import { startFake } from '../../testing/support.js'
import { environmentOf, folderWith, runCommand } from '../run-command.js'

const BASE = 'https://clinic.example/pathology'

/** Returns the resources in the lines. */
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => Object(JSON.parse(line)))
const reportsIn = (text: string): unknown[] =>
  linesOf(text).flatMap(({ resourceType, id }) => (resourceType === 'DiagnosticReport' ? [id] : []))

it('results get --fhir prints a bundle, and requires the root of the identifier systems', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const result = fake.results.receiveIncoming()
  const env = environmentOf(fake)
  const words = ['results', 'get', result.uuid, '--fhir']
  expect(await runCommand(words, { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('PATHOLOGY_FHIR_BASE'),
  })
  const { code, stdout } = await runCommand([...words, '--base', BASE], { env })
  expect(code).toBe(0)
  const { entry } = JSON.parse(stdout)
  expect(entry.at(-1).resource).toMatchObject({ resourceType: 'DiagnosticReport', id: result.uuid })
  const other = await runCommand(words, { env: { ...env, PATHOLOGY_FHIR_BASE: BASE } })
  expect(other.stdout).toBe(stdout)
  fake.results.hold(result.uuid)
  expect(await runCommand([...words, '--base', BASE], { env })).toMatchObject({ code: 2, stdout: '' })
})

it('results get --fhir contains the referral of an ordered result', async () => {
  const fake = await startFake({ seedReferrals: 30 })
  const ordered = fake.results.all().find(({ status, referralUuid }) => status === 'COMPLETE' && referralUuid)
  const words = ['results', 'get', ordered?.uuid ?? '', '--fhir', '--base', BASE]
  const { stdout } = await runCommand(words, { env: environmentOf(fake) })
  expect(stdout).toContain('"resourceType": "ServiceRequest"')
})

it('mirror export --fhir writes each result once, in parts and since a time', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  for (let count = 0; count < 4; count += 1) fake.results.receiveIncoming()
  const held = fake.results.receiveIncoming()
  fake.results.hold(held.uuid)
  const uuids = fake.results
    .all()
    .map(({ uuid }) => uuid)
    .filter((uuid) => uuid !== held.uuid)
    .sort()
  const cwd = await folderWith({})
  const database = join(cwd, 'pathology-mirror')
  await createPGliteFolder(database)
  {
    const client = new PathologyClient(fake.clientOptions())
    onTestFinished(() => client.close())
    await using mirror = createMirror({
      client,
      database,
      secret: fake.signingSecret,
      documents: 'none',
      logger: {},
    })
    await mirror.backfill()
  }
  const run = (...words: string[]) =>
    runCommand(['mirror', 'export', ...words], { cwd, env: { PATHOLOGY_FHIR_BASE: BASE } })
  const all = await run('--fhir')
  expect(all).toMatchObject({
    code: 0,
    stderr: 'left out, because your organisation holds them back: 1\n',
  })
  expect(reportsIn(all.stdout)).toEqual(uuids)
  const ids = new Set(linesOf(all.stdout).map(({ resourceType, id }) => `${resourceType}/${id}`))
  const references = [...all.stdout.matchAll(/"reference":"([^"]+)"/g)].map(([, reference]) => reference)
  expect(references.length).toBeGreaterThan(10)
  expect(references.filter((reference) => !ids.has(reference ?? ''))).toEqual([])

  const rest = await run('--fhir', '--after', uuids[1] ?? '')
  expect(reportsIn(rest.stdout)).toEqual(uuids.slice(2))
  expect((await run('--fhir', '--since', '1h')).stdout).toBe(all.stdout)
  expect((await run('--fhir', '--since', '2099-01-01')).stdout).toBe('')
  const aborted = AbortSignal.abort()
  const stopped = await runCommand(['mirror', 'export', '--fhir', '--base', BASE], { cwd, signal: aborted })
  expect(stopped).toMatchObject({ code: 130, stdout: '' })
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('add --fhir') })
})
