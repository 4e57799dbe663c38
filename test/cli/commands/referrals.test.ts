import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PathologyClient } from 'pathology-sdk'
import type { FakePathologyService } from 'pathology-sdk/testing'
import { beforeEach, expect, it } from 'vitest'
import { ORDER, orderOverApi, records, startFake } from '../../testing/support.js'
import { type CommandInput, environmentOf, folderWith, runCommand } from '../run-command.js'

let fake: FakePathologyService
let env: Record<string, string>

beforeEach(async () => {
  fake = await startFake({ seedReferrals: 0, centreCount: 50, issueTiming: 'manual' })
  env = environmentOf(fake)
})

const run = (words: readonly string[], input: CommandInput = {}) =>
  runCommand(words, { env, now: fake.clock.now(), ...input })

const uuidsIn = (json: string): unknown[] => records(JSON.parse(json)).map(({ uuid }) => uuid)

it('referrals list filters by status, age and time, newest first', async () => {
  const old = await orderOverApi(fake)
  await fake.clock.advance({ hours: 30 })
  const young = await orderOverApi(fake)
  const issued = await orderOverApi(fake)
  fake.referrals.issue(issued)
  const all = await run(['referrals', 'list', '--json'])
  expect({ code: all.code, stderr: all.stderr }).toEqual({ code: 0, stderr: '' })
  expect(uuidsIn(all.stdout)).toEqual([issued, young, old])
  const list = async (...words: string[]) =>
    uuidsIn((await run(['referrals', 'list', '--json', ...words])).stdout)
  expect(await list('--status', 'CREATED')).toEqual([young, old])
  expect(await list('--status', 'CREATED', '--older-than', '24h')).toEqual([old])
  expect(await list('--since', '24h')).toEqual([issued, young])
  expect(await list('--status', 'ISSUED,COMPLETE')).toEqual([issued])
  expect(await list('--limit', '1')).toEqual([issued])
  expect(await list('--since', '2026-03-03T00:00:00+11:00', '--until', '2026-03-04')).toEqual([issued, young])
  expect(await list('--status', 'REFUNDED')).toEqual([])
})

it('referrals list stops reading one page after the earliest time, instead of reading the complete list', async () => {
  for (let count = 0; count < 3; count += 1) await orderOverApi(fake, { referenceNumber: `OLD-${count}` })
  for (let day = 0; day < 65; day += 1) {
    await orderOverApi(fake, { referenceNumber: `DAY-${day}` })
    await fake.clock.advance({ days: 1 })
  }
  const before = fake.requests.count
  const { stdout } = await run(['referrals', 'list', '--json', '--since', '5d'])
  expect(uuidsIn(stdout)).toHaveLength(5)
  const pages = fake.requests
    .slice(before - fake.requests.count)
    .filter(({ path }) => path.startsWith('/v1/referrals'))
  expect(pages.length).toBeLessThanOrEqual(2)
})

it('referrals list prints a table in a terminal, CSV in a pipe, the selected columns, and no colours if NO_COLOR is set', async () => {
  const uuid = await orderOverApi(fake, { referenceNumber: 'A "quoted", one' })
  const table = await run(['referrals', 'list', '--columns', 'uuid,person.lastName'], { isTTY: true })
  expect(table.stdout).toBe(
    `\u001b[1muuid                                  person.lastName\u001b[22m\n${uuid}  Byron\n`,
  )
  const plain = await run(['referrals', 'list', '--columns', 'status'], {
    isTTY: true,
    env: { ...env, NO_COLOR: '1' },
  })
  expect(plain.stdout).toBe('status\nCREATED\n')
  const csv = await run(['referrals', 'list', '--columns', 'uuid,referenceNumber'])
  expect(csv.stdout).toBe(`uuid,referenceNumber\r\n${uuid},"A ""quoted"", one"\r\n`)
  expect((await run(['referrals', 'list', '--table', '--columns', 'status'])).stdout).toBe(
    'status\nCREATED\n',
  )
})

it('referrals get and list print no control characters of metadata keys in a terminal', async () => {
  const uuid = await orderOverApi(fake, { metadata: { '\u001b[2Jkey': '\u001b[2Jvalue' } })
  const got = await run(['referrals', 'get', uuid], { isTTY: true })
  expect(got.stdout).not.toContain('\u001b[2J')
  expect(got.stdout).toContain('metadata. [2Jkey')
  const path = 'metadata.\u001b[2Jkey'
  const listed = await run(['referrals', 'list', '--columns', `${path},${path}s`], { isTTY: true })
  expect(listed.stdout).toContain('metadata. [2Jkey  metadata. [2Jkeys')
  expect(listed.stderr).toBe(
    'No record has the field metadata. [2Jkeys, so its column is empty; did you mean metadata. [2Jkey?\n',
  )
})

it('referrals get, pdf and find show one referral, save its PDF for its owner only, and find it by reference and by key', async () => {
  const { referrals } = await new PathologyClient(fake.clientOptions()).referrals.create(
    { ...ORDER, tests: ['lipid-panel'] },
    { orderKey: 'visit-1001' },
  )
  const [{ uuid }] = referrals
  fake.referrals.issue(uuid)
  const got = await run(['referrals', 'get', uuid])
  expect(JSON.parse(got.stdout)).toMatchObject({ uuid, status: 'ISSUED', person: { lastName: 'Byron' } })
  expect((await run(['referrals', 'get', uuid], { isTTY: true })).stdout).toContain('person.lastName')
  const cwd = await folderWith({})
  const saved = await run(['referrals', 'pdf', uuid], { cwd })
  expect(saved).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`saved ${uuid}.pdf`) })
  const path = join(cwd, `${uuid}.pdf`)
  expect((await readFile(path, 'latin1')).startsWith('%PDF-')).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  for (const words of [
    ['--reference', 'ORDER-1'],
    ['--key', 'visit-1001', '--since', '1d'],
  ])
    expect(uuidsIn((await run(['referrals', 'find', '--json', ...words])).stdout)).toEqual([uuid])
  expect(await run(['referrals', 'find', '--key', 'another'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no referral with this order key was found'),
  })
  expect((await run(['referrals', 'find'])).code).toBe(2)
})

it('referrals get exits with 1 for an unknown referral and with 2 for a text that is not a UUID, without repeating it', async () => {
  const unknown = await run(['referrals', 'get', '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'])
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('REFERRAL_NOT_FOUND'),
  })
  const invalid = await run(['referrals', 'get', 'Ada Byron'])
  expect(invalid.code).toBe(2)
  expect(invalid.stderr).not.toContain('Byron')
})

it('results list --released lists the results that were released on a day of a time zone', async () => {
  const [first, held, later] = [await orderOverApi(fake), await orderOverApi(fake), await orderOverApi(fake)]
  for (const uuid of [first, held, later]) fake.referrals.issue(uuid)
  // 2026-03-02T09:00Z is 20:00 in Sydney.
  fake.referrals.complete(first)
  fake.referrals.complete(held)
  const [{ uuid: heldResult } = { uuid: '' }] = fake.results
    .all()
    .filter(({ referralUuid }) => referralUuid === held)
  fake.results.hold(heldResult)
  await fake.clock.advance({ hours: 5 })
  fake.referrals.complete(later)
  await fake.clock.advance({ hours: 8 })
  const list = async (...words: string[]) =>
    records(JSON.parse((await run(['results', 'list', '--json', ...words])).stdout)).map(
      ({ referralUuid }) => referralUuid,
    )
  const sydney = ['--tz', 'Australia/Sydney']
  expect(await list('--released', 'yesterday', ...sydney)).toEqual([first])
  expect(await list('--released', 'today', ...sydney)).toEqual([later])
  expect(await list('--released', '2026-03-02', '--tz', 'UTC')).toEqual([later, first])
  expect(await list('--released', '2026-03-01', ...sydney)).toEqual([])
})

it('results get, text and pdf show one result, its report text and its PDF', async () => {
  const uuid = await orderOverApi(fake)
  fake.referrals.issue(uuid)
  fake.referrals.complete(uuid)
  const [result] = fake.results.all()
  const id = result?.uuid ?? ''
  expect(JSON.parse((await run(['results', 'get', id])).stdout)).toMatchObject({
    uuid: id,
    referralUuid: uuid,
  })
  const text = await run(['results', 'text', id])
  expect({ code: text.code, hasText: text.stdout.length > 20 }).toEqual({ code: 0, hasText: true })
  const cwd = await folderWith({})
  expect(await run(['results', 'pdf', id, '--out', 'r.pdf'], { cwd })).toMatchObject({ code: 0 })
  expect((await readFile(join(cwd, 'r.pdf'), 'latin1')).startsWith('%PDF-')).toBe(true)
  expect((await run(['results', 'list'])).stdout).toContain(id)
})
