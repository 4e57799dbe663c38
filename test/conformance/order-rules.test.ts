import { afterAll, describe, expect, it } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk, faults } from './support/check.js'
import { at, first, obj, one, str, strings } from './support/json.js'
import { referral } from './support/objects.js'
import {
  absentUuid,
  cards,
  order,
  place,
  placed,
  recordsOf,
  referralOf,
  wholeList,
} from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const listed = catalogue.filter((entry) => entry['medicareListed'] === true).map((entry) => str(entry['id']))
const testA = first(listed)
const bundles = await wholeList(service, '/v1/bundles', {})
const bundle = first(bundles)
const bundleId = str(bundle['id'])
const bundleTests = recordsOf(bundle['tests'] ?? null).map((entry) => str(entry['id']))
const outside = first(listed.filter((id) => !bundleTests.includes(id)))
const sorted = (list: readonly string[]): string[] => [...list].sort()

describe('§9 the versions', () => {
  it.each([undefined, '1.0.0'])('%s returns one object', async (version) => {
    const answer = await service.call('POST', '/v1/referrals', {
      body: order({ tests: [testA] }),
      ...(version === undefined ? {} : { version }),
    })
    expect(obj(expectOk(answer))['object']).toBe('referral')
  })
  it.each(['application/json', '*/*', 'application/vnd.svc.v1.0.0+json, */*'])(
    'Accept %s is v1.0.0',
    async (accept) => {
      const answer = await service.call('POST', '/v1/referrals', {
        body: order({ tests: [testA] }),
        headers: { accept },
      })
      expect(obj(expectOk(answer))['object']).toBe('referral')
    },
  )
  it('1.1.0 returns an object or a list of one (§4.1, §9)', async () => {
    const body = expectOk(await place(service, { tests: [testA] }))
    expect(one(body)['object']).toBe('referral')
    if (Array.isArray(body)) expect(body.length).toBe(1)
  })
  it.each([
    ['bundleId', { bundleId }],
    ['medicareTests', { medicareTests: [testA] }],
    ['bundleId and tests', { bundleId, tests: [testA] }],
    ['an unknown bundleId', { bundleId: absentUuid }],
    ['medicareTests and tests', { tests: [testA], medicareTests: [testA] }],
  ])('rule 3: %s on v1.0.0 is 400, and the error names the version', async (_what, changes) => {
    for (const version of ['1.0.0', undefined]) {
      const options = version === undefined ? {} : { version }
      const answer = await service.call('POST', '/v1/referrals', { body: order(changes), ...options })
      expect(answer.status).toBe(400)
      expect(answer.text).toMatch(/version|accept|1\.1\.0/i)
      expect(at(answer.body, 'error')).toBe(true)
    }
  })
})

describe('§4.1 rule 2: bundles', () => {
  it('only bundleId: the tests of the bundle and its product', async () => {
    const made = await placed(service, { bundleId })
    expect(sorted(strings(made['tests']))).toEqual(sorted([...new Set(bundleTests)]))
    expect(made['bundleId']).toBe(bundleId)
    expect(made['productId']).toEqual(expect.stringMatching(/\S/))
    expect(made['productName']).toEqual(expect.stringMatching(/\S/))
    expect(faults(made, referral)).toEqual([])
  })
  it('bundleId and tests: both, duplicates removed', async () => {
    const made = await placed(service, { bundleId, tests: [outside, first(bundleTests), outside] })
    expect(sorted(strings(made['tests']))).toEqual(sorted([...new Set([...bundleTests, outside])]))
    expect(made['productName']).not.toBeNull()
  })
  it('bundleId and an empty list of tests', async () => {
    expect(sorted(strings((await placed(service, { bundleId, tests: [] }))['tests']))).toEqual(
      sorted(bundleTests),
    )
  })
  it.each(shareOf(bundles, 0, 4).map((entry) => [str(entry['name']), entry] as const))(
    '%s can be ordered',
    async (_name, entry) => {
      const made = await placed(service, { bundleId: str(entry['id']) })
      expect(strings(made['tests']).length).toBe(recordsOf(entry['tests'] ?? null).length)
    },
  )
})

describe('§3.1 the statuses in which an order can end', () => {
  it.each([
    ['pending-verification', 'PENDING_VERIFICATION'],
    ['billing-failed', 'BILLING_FAILED'],
  ])('%s gives status %s and no PDF', async (outcome, status) => {
    await service.control('POST', '/referrals/next-orders', { outcome })
    const made = await placed(service, { tests: [testA] })
    const now = await referralOf(service, str(made['uuid']))
    expect(now['status']).toBe(status)
    expect(now['referralAttachment']).toBeNull()
    expect(faults(now, referral)).toEqual([])
  })
})

describe.each(['1.0.0', '1.1.0'])('§4.1 rule 7 on a commercial order, v%s', (version) => {
  it.each([cards.ten, cards.eleven, '2123456701', '2428778132', undefined])(
    'card %s is accepted',
    async (medicareCardNumber) => {
      const made = await placed(service, { tests: [testA], medicareCardNumber }, version)
      expect(made['medicare']).toBe(false)
      expect(made['medicareCardNumber']).toBeNull()
    },
  )
})

const included = recordsOf(
  (await service.call('GET', '/v1/tests?include=biomarkers', { version: '1.1.0' })).body,
)
const noBlood = included
  .filter((entry) => {
    const samples = recordsOf(entry['biomarkers'] ?? null).map((one) => one['sampleType'])
    return (
      samples.length > 0 &&
      samples.every((sample) => typeof sample === 'string' && !/blood|serum|plasma/.test(sample))
    )
  })
  .map((entry) => str(entry['id']))
describe('§9 tests of samples other than blood', () => {
  it('some tests need another sample', () => expect(noBlood.length).toBeGreaterThan(0))
  it.each(shareOf(noBlood, 0, 6))('%s on v1.0.0 is 400, and the error names the version', async (id) => {
    for (const tests of [[id], [testA, id]]) {
      const answer = await place(service, { tests }, '1.0.0')
      expectError(answer, 400, 'INVALID_PAYLOAD', /version|accept|1\.1\.0/i)
    }
  })
  it.each(shareOf(noBlood, 1, 6))('%s on v1.1.0 is ordered', async (id) => {
    expect((await placed(service, { tests: [testA, id] }))['tests']).toEqual(
      expect.arrayContaining([testA, id]),
    )
  })
})
