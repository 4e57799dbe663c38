import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { record, records } from '../../testing/support.js'
import { environmentOf, runCommand } from '../run-command.js'
import { differencesOf, startContractFake, WRITES, withoutSteps } from './contract-world.js'
import { startTampering, type Tamper } from './tampering.js'

const CHECK = ['contract', 'check', '--json', ...WRITES]

/** The orders of the check, deleted or not. */
const ordersOf = (fake: FakePathologyService) =>
  fake.referrals.all().filter((each) => each.referenceNumber === 'contract-check')

/** The ids of all webhooks of the organisation. */
async function webhooksOf(fake: FakePathologyService): Promise<string[]> {
  const { stdout } = await runCommand(['webhooks', 'list', '--json'], { env: environmentOf(fake) })
  return records(JSON.parse(stdout)).map(({ id }) => String(id))
}

it('contract check sends a deletion that failed once more', async () => {
  const fake = await startContractFake()
  fake.faults.next('DELETE /v1/referrals/{uuid}', { status: 500 })
  fake.faults.next('DELETE /v1/webhooks/{id}', { status: 500 })
  const before = await webhooksOf(fake)
  const { code, stderr } = await runCommand(CHECK, { env: environmentOf(fake) })
  expect({ code, stderr: withoutSteps(stderr) }).toEqual({ code: 3, stderr: '' })
  const orders = ordersOf(fake)
  expect(orders.length).toBe(4)
  expect(orders.filter(({ deletedAt }) => deletedAt === null)).toEqual([])
  expect(await webhooksOf(fake)).toEqual(before)
})

it('contract check names each record whose deletion fails again', async () => {
  const fake = await startContractFake()
  fake.faults.next('DELETE /v1/referrals/{uuid}', { status: 500 }, { times: Number.POSITIVE_INFINITY })
  fake.faults.next('DELETE /v1/webhooks/{id}', { status: 500 }, { times: Number.POSITIVE_INFINITY })
  const before = await webhooksOf(fake)
  const { stderr } = await runCommand(CHECK, { env: environmentOf(fake) })
  const orders = ordersOf(fake)
  expect(orders.length).toBe(4)
  for (const { uuid } of orders) expect(stderr).toContain(`The referral ${uuid} of this check could not`)
  const [webhook, ...others] = (await webhooksOf(fake)).filter((id) => !before.includes(id))
  expect(others).toEqual([])
  expect(stderr).toContain(`The webhook ${webhook} of this check could not be deleted`)
})

it('contract check deletes a second webhook that the service must reject but accepts', async () => {
  const fake = await startContractFake()
  const before = await webhooksOf(fake)
  const second = fake.webhooks.createInPortal({ url: 'https://contract-check.example.com/second' })
  let isAccepted = false
  const acceptNext = (body: Record<string, unknown>) => {
    if (!isAccepted) fake.faults.next('POST /v1/webhooks', { status: 200, body: second })
    isAccepted = true
    return body
  }
  const tampers: readonly Tamper[] = [{ path: /^\/v1\/webhooks$/, method: 'POST', json: acceptNext }]
  const env = { ...environmentOf(fake), ...(await startTampering(fake, tampers)) }
  const { code, stdout, stderr } = await runCommand(CHECK, { env })
  expect({ code, stderr: withoutSteps(stderr) }).toEqual({ code: 3, stderr: '' })
  expect(stdout).toContain('second webhook with the event')
  expect(await webhooksOf(fake)).toEqual(before)
})

it('contract check finds and deletes a record whose response was lost to a closed connection or to a gateway', async () => {
  const fake = await startContractFake()
  const before = await webhooksOf(fake)
  await runCommand(CHECK, { env: environmentOf(fake) })
  for (const [words, path, fault] of [
    [['--write', '--pdf-timeout', '1s'], '/v1/referrals', {}],
    [['--write-webhooks'], '/v1/webhooks', { status: 504, body: 'gateway timeout' }],
  ] as const) {
    const posts = fake.requests.filter((each) => each.method === 'POST' && each.path === path)
    const nth = posts.findIndex(({ status }) => status === 200) + 1
    fake.faults.next(`POST ${path}`, { ...fault, loseResponse: true }, { nth })
    const { stderr } = await runCommand(['contract', 'check', ...words], { env: environmentOf(fake) })
    expect(stderr).not.toContain('of this check')
  }
  fake.assertNoUnusedFaults()
  expect(ordersOf(fake).filter(({ deletedAt }) => deletedAt === null)).toEqual([])
  expect(await webhooksOf(fake)).toEqual(before)
})

it('contract check names its order key and its webhook URL if it does not find a record whose response was lost', async () => {
  const fake = await startContractFake()
  fake.faults.next('POST /v1/referrals', { status: 504 })
  fake.faults.next('POST /v1/webhooks', { status: 504 })
  const { stderr } = await runCommand(CHECK, { env: environmentOf(fake) })
  const [, key = ''] = /npx pathology referrals find --key (\S+),/.exec(stderr) ?? []
  expect(new Set(ordersOf(fake).map(({ metadata }) => metadata?.['pathologySdkOrderKey']))).toEqual(
    new Set([key]),
  )
  expect(stderr).toMatch(/delete the webhook whose URL contains [\da-f-]{36}, if npx pathology webhooks list/)
})

it.each(['--write', '--write-webhooks'])(
  'contract check %s changes nothing in an environment without generated results, and says why',
  async (option) => {
    const fake = await startContractFake({ environment: 'production' })
    const { stdout } = await runCommand(['contract', 'check', '--json', option], { env: environmentOf(fake) })
    const report = record(JSON.parse(stdout))
    expect(report['wrote']).toBe(false)
    const reasons = records(report['notChecked']).map(({ reason }) => reason)
    expect(reasons).toContain('the environment has no endpoint for dummy results: is it production?')
    const changing = fake.requests.filter(({ method, part }) => part === 'api' && method !== 'GET')
    const accepted = changing
      .filter(({ status }) => status === null || status < 400)
      .map(({ route }) => route)
    expect(new Set(accepted)).toEqual(new Set(['prices.calculate']))
  },
)

describe('pathology contract check --write that can place no order', { timeout: 60_000 }, () => {
  const endpoints = ['create', 'update', 'delete', 'generateResults'].map((name) => `referrals.${name}`)

  it('contract check --write checks no endpoint of orders if no test is medicareListed', async () => {
    const plain = (body: Record<string, unknown>) => ({
      tests: records(body['tests']).map((test) => ({ ...test, medicareListed: false })),
    })
    const fake = await startContractFake()
    const urls = await startTampering(fake, [{ path: /^\/v1\/tests/, json: plain }])
    const env = { ...environmentOf(fake), ...urls }
    const { report } = await differencesOf(env, ['--write'])
    expect(report['wrote']).toBe(false)
    const notChecked = records(report['notChecked']).map(({ endpoint }) => endpoint)
    expect(notChecked).toEqual(expect.arrayContaining(endpoints))
  })

  it('contract check --write checks no change of an order if the service rejects every order', async () => {
    const fake = await startContractFake()
    fake.faults.next('POST /v1/referrals', { status: 403 }, { times: Number.POSITIVE_INFINITY })
    const { report } = await differencesOf(environmentOf(fake), ['--write'])
    expect(report['wrote']).toBe(false)
    const notChecked = records(report['notChecked']).map(({ endpoint }) => endpoint)
    expect(notChecked).toEqual(expect.arrayContaining(endpoints.slice(1)))
    expect(notChecked).not.toContain('referrals.create')
  })
})
