import { describe, expect, it } from 'vitest'

import { MEDICARE, startFake, type TestFake } from './orders-support.js'

/** Ways to bring a new referral into each status of §3.1. */
const WAYS: Readonly<Record<string, (fake: TestFake, uuid: string) => unknown>> = {
  CREATED: () => undefined,
  PENDING_VERIFICATION: (fake, uuid) => fake.referrals.pendingVerification(uuid),
  BILLING_FAILED: (fake, uuid) => fake.referrals.failBilling(uuid),
  ISSUED: (fake, uuid) => fake.referrals.issue(uuid),
  SCHEDULED_REISSUE: (fake, uuid) => fake.referrals.reissue(uuid),
  PARTIAL_RESULTS: (fake, uuid) => [fake.referrals.issue(uuid), fake.referrals.partialResults(uuid)],
  COMPLETE: (fake, uuid) => [fake.referrals.issue(uuid), fake.referrals.complete(uuid)],
  INSUFFICIENT_DATA: (fake, uuid) => [fake.referrals.issue(uuid), fake.referrals.insufficientData(uuid)],
  FAILED_TEST: (fake, uuid) => [fake.referrals.issue(uuid), fake.referrals.failTest(uuid)],
  REFUNDED: (fake, uuid) => fake.referrals.refund(uuid),
  TRANSFERRED: (fake, uuid) => fake.referrals.transfer(uuid),
}

const STATUSES = Object.keys(WAYS)

/** §3.1: for each transition the statuses before it, the status after it, and its event. */
const MOVES = [
  ['issue', ['CREATED', 'SCHEDULED_REISSUE'], 'ISSUED', 'referral.issued'],
  ['pendingVerification', ['CREATED'], 'PENDING_VERIFICATION', 'referral.pending_verification'],
  ['verify', ['PENDING_VERIFICATION'], 'ISSUED', 'referral.issued'],
  ['failBilling', ['CREATED'], 'BILLING_FAILED', 'referral.billing_failed'],
  ['reissue', ['CREATED', 'ISSUED'], 'SCHEDULED_REISSUE', 'referral.scheduled_reissue'],
  [
    'partialResults',
    ['ISSUED', 'PARTIAL_RESULTS', 'INSUFFICIENT_DATA'],
    'PARTIAL_RESULTS',
    'referral.partial_results',
  ],
  ['complete', ['ISSUED', 'PARTIAL_RESULTS', 'INSUFFICIENT_DATA'], 'COMPLETE', 'referral.complete'],
  ['insufficientData', ['ISSUED', 'PARTIAL_RESULTS'], 'INSUFFICIENT_DATA', 'referral.insufficient_data'],
  ['failTest', ['ISSUED', 'PARTIAL_RESULTS'], 'FAILED_TEST', 'referral.failed_test'],
  [
    'refund',
    ['PENDING_VERIFICATION', 'CREATED', 'ISSUED', 'SCHEDULED_REISSUE', 'INSUFFICIENT_DATA', 'FAILED_TEST'],
    'REFUNDED',
    'referral.refunded',
  ],
  [
    'transfer',
    ['PENDING_VERIFICATION', 'CREATED', 'ISSUED', 'SCHEDULED_REISSUE'],
    'TRANSFERRED',
    'referral.transferred',
  ],
] as const

const MANUAL = { issueTiming: 'manual', reissueTiming: 'manual', verifyTiming: 'manual' } as const

async function referralIn(status: string) {
  const fake = await startFake(MANUAL)
  const { uuid } = await fake.orderOne()
  WAYS[status]?.(fake, uuid)
  return { fake, uuid }
}

const WITH_PDF = ['ISSUED', 'PARTIAL_RESULTS', 'COMPLETE', 'INSUFFICIENT_DATA', 'FAILED_TEST']
const WITH_RESULTS = ['PARTIAL_RESULTS', 'COMPLETE']

describe('every status can be reached (§3.1, §2.4)', () => {
  it.each(STATUSES)(
    'a referral reaches %s, with or without its PDF and its result (§3.1)',
    async (status) => {
      const { fake, uuid } = await referralIn(status)
      const referral = await fake.referral(uuid)
      expect(referral.status).toBe(status)
      expect(referral.referralAttachment !== null).toBe(WITH_PDF.includes(status))
      expect(referral.resultsUuid !== null).toBe(WITH_RESULTS.includes(status))
    },
  )
})

describe('transitions (§3.1)', () => {
  it.each(
    MOVES.flatMap(([name, from, to, event]) => from.map((status) => [name, status, to, event] as const)),
  )('%s changes a referral from %s to %s (§3.1)', async (name, status, to, event) => {
    const { fake, uuid } = await referralIn(status)
    expect(fake.referrals[name](uuid).status).toBe(to)
    expect((await fake.referral(uuid)).status).toBe(to)
    expect(fake.deliveries.events().at(-1)).toMatchObject({
      eventName: event,
      entityUuid: uuid,
      data: { uuid, status: to },
    })
  })

  it.each(STATUSES)('from %s every other transition is rejected (§3.1)', async (status) => {
    const { fake, uuid } = await referralIn(status)
    const before = fake.deliveries.events().length
    for (const [name, from] of MOVES) {
      if (from.some((one) => one === status)) continue
      expect(() => fake.referrals[name](uuid), name).toThrow(`referral ${uuid} is ${status}`)
    }
    expect((await fake.referral(uuid)).status).toBe(status)
    expect(fake.deliveries.events()).toHaveLength(before)
  })
})

describe('updates and statuses (§4.1)', () => {
  it.each(STATUSES)('only a referral that is CREATED or ISSUED can be updated: %s (§4.1)', async (status) => {
    const { fake, uuid } = await referralIn(status)
    const response = await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    if (status === 'CREATED' || status === 'ISSUED') {
      expect(response).toMatchObject({ status: 200, body: { status: 'SCHEDULED_REISSUE' } })
    } else {
      expect(response).toMatchObject({ status: 400, body: { error: true, code: 'INVALID_STATUS' } })
      expect(await fake.referral(uuid)).toMatchObject({ status, person: { firstName: 'Wirra' } })
    }
  })
})

describe('the email of an order whose second PDF does not come (§4.1 rule 4)', () => {
  it.each<[string, (fake: TestFake, uuid: string) => unknown]>([
    ['is refunded', (fake, uuid) => fake.referrals.refund(uuid)],
    ['is transferred', (fake, uuid) => fake.referrals.transfer(uuid)],
    ['has failed billing', (fake, uuid) => fake.referrals.failBilling(uuid)],
    ['is deleted', (fake, uuid) => fake.call('DELETE', `/v1/referrals/${uuid}`)],
  ])('the email is sent when the other referral %s (§4.1 rule 4)', async (_, end) => {
    const fake = await startFake(MANUAL)
    const [first, second] = await fake.order(MEDICARE)
    const uuid = first?.uuid ?? ''
    fake.referrals.issue(uuid)
    expect(fake.referrals.emails()).toEqual([])
    await end(fake, second?.uuid ?? '')
    expect(fake.referrals.emails()).toEqual([{ sentAt: expect.any(String), referralUuids: [uuid] }])
    expect((await fake.referral(uuid)).emailSentAt).not.toBeNull()
    fake.referrals.complete(uuid)
    expect(fake.referrals.emails()).toHaveLength(1)
  })

  it('the email waits for a reissue of a PDF that was not sent yet (§4.1 rule 4)', async () => {
    const fake = await startFake(MANUAL)
    const [first, second] = (await fake.order(MEDICARE)).map(({ uuid }) => uuid)
    fake.referrals.issue(first ?? '')
    fake.referrals.reissue(first ?? '')
    fake.referrals.issue(second ?? '')
    expect(fake.referrals.emails()).toEqual([])
    fake.referrals.issue(first ?? '')
    expect(fake.referrals.emails()).toMatchObject([
      { referralUuids: expect.arrayContaining([first, second]) },
    ])
  })

  it('no email is sent when the patient gets none, or when no PDF exists (§4.1 rule 4)', async () => {
    const fake = await startFake(MANUAL)
    const [first, second] = await fake.order({ ...MEDICARE, emailReferralToCustomer: false })
    fake.referrals.issue(first?.uuid ?? '')
    fake.referrals.refund(second?.uuid ?? '')
    for (const { uuid } of await fake.order(MEDICARE)) fake.referrals.refund(uuid)
    expect(fake.referrals.emails()).toEqual([])
  })
})

describe('DELETE keeps the status (§3.1)', () => {
  it.each(STATUSES)('DELETE of a referral that is %s keeps the status (§3.1)', async (status) => {
    const { fake, uuid } = await referralIn(status)
    const response = await fake.call('DELETE', `/v1/referrals/${uuid}`)
    expect(response).toMatchObject({ status: 200, body: { status, referralAttachment: null } })
  })
})

describe('control methods', () => {
  it('updatedAt changes with the status (§2.4)', async () => {
    const { fake, uuid } = await referralIn('CREATED')
    await fake.advance({ hours: 3 })
    fake.referrals.issue(uuid)
    expect((await fake.referral(uuid)).updatedAt).toBe('2026-03-02T04:00:00.000Z')
  })

  it('transfer can name the new person', async () => {
    const { fake, uuid } = await referralIn('ISSUED')
    fake.referrals.transfer(uuid, { firstName: 'Another', lastName: 'Person' })
    expect((await fake.referral(uuid)).person).toMatchObject({
      firstName: 'Another',
      lastName: 'Person',
      email: 'wirra@patients.example',
    })
  })

  it('transfer rejects a person that is not an object', async () => {
    const { fake, uuid } = await referralIn('ISSUED')
    const transfer = () => Reflect.apply(fake.referrals.transfer, undefined, [uuid, null])
    expect(transfer).toThrow('person must be an object')
  })

  it('your own values are reported, and stay when more arrive', async () => {
    const { fake, uuid } = await referralIn('ISSUED')
    const slip = { values: { haemoglobn: '101' } }
    expect(() => fake.referrals.partialResults(uuid, slip)).toThrow(/no biomarkers haemoglobn/)
    expect(() => fake.results.receiveIncoming(slip)).toThrow(RangeError)
    fake.referrals.partialResults(uuid, { values: { haemoglobin: '101' } })
    const { resultsUuid } = fake.referrals.complete(uuid, { values: { platelets: '99' } })
    const { biomarkers } = await fake.result(resultsUuid)
    const canonicalOf = (id: string) => biomarkers.find((one) => one.id === id)?.canonical.value
    expect([canonicalOf('haemoglobin'), canonicalOf('platelets')]).toEqual(['101', '99'])
  })

  it('a deleted referral can still get results, but is not issued any more', async () => {
    const { fake, uuid } = await referralIn('ISSUED')
    await fake.call('DELETE', `/v1/referrals/${uuid}`)
    expect(fake.referrals.complete(uuid).status).toBe('COMPLETE')
    const created = await fake.orderOne()
    await fake.call('DELETE', `/v1/referrals/${created.uuid}`)
    expect(() => fake.referrals.issue(created.uuid)).toThrow(/deleted/)
  })

  it.each(['reissue', 'pendingVerification'] as const)(
    'a deleted referral does not wait for a PDF: %s is rejected (§3.1)',
    async (name) => {
      const { fake, uuid } = await referralIn('CREATED')
      await fake.call('DELETE', `/v1/referrals/${uuid}`)
      expect(() => fake.referrals[name](uuid)).toThrow(
        /CREATED and deleted.*only if the referral is not deleted/,
      )
      expect((await fake.referral(uuid)).status).toBe('CREATED')
    },
  )

  it('an unknown referral is an error', async () => {
    const fake = await startFake()
    expect(() => fake.referrals.issue('nobody')).toThrow(/no referral nobody/)
  })

  it('nextOrders rejects an unknown outcome', async () => {
    const fake = await startFake()
    expect(() => fake.referrals.nextOrders(JSON.parse('"lost"'))).toThrow(/billing-failed/)
    expect(() => fake.referrals.nextOrders('accepted', 0)).toThrow(RangeError)
    expect(() => fake.referrals.nextOrders('accepted', 200_000)).not.toThrow()
  })

  it('a method returns a copy', async () => {
    const { fake, uuid } = await referralIn('ISSUED')
    const copy = fake.referrals.retrieve(uuid)
    copy.person.firstName = 'changed'
    expect((await fake.referral(uuid)).person.firstName).toBe('Wirra')
  })
})

describe('transitions that the service makes by itself', () => {
  it.each([
    ['issueTiming', 'CREATED', async (fake: TestFake) => (await fake.orderOne()).uuid],
    [
      'reissueTiming',
      'SCHEDULED_REISSUE',
      async (fake: TestFake) => {
        const { uuid } = await fake.orderOne()
        await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: {} })
        return uuid
      },
    ],
    [
      'verifyTiming',
      'PENDING_VERIFICATION',
      async (fake: TestFake) => {
        fake.referrals.nextOrders('pending-verification')
        return (await fake.orderOne()).uuid
      },
    ],
  ] as const)(
    '%s happens immediately, after a time, after reads, or never (§3.1)',
    async (option, before, begin) => {
      const statusOf = (fake: TestFake, uuid: string) => fake.referrals.retrieve(uuid).status
      const immediate = await startFake({ [option]: 'immediate' })
      expect(statusOf(immediate, await begin(immediate))).toBe('ISSUED')

      const later = await startFake({ [option]: { afterMs: 10_000 } })
      const waiting = await begin(later)
      await later.advance({ milliseconds: 9_999 })
      expect(statusOf(later, waiting)).toBe(before)
      await later.advance({ milliseconds: 1 })
      expect(statusOf(later, waiting)).toBe('ISSUED')

      const read = await startFake({ [option]: { afterReads: 2 } })
      const watched = await begin(read)
      await read.advance({ days: 1 })
      const seen = []
      for (let place = 0; place < 3; place += 1) seen.push((await read.referral(watched)).status)
      expect(seen).toEqual([before, before, 'ISSUED'])

      const manual = await startFake({ [option]: 'manual' })
      const left = await begin(manual)
      await manual.advance({ days: 30 })
      expect(statusOf(manual, left)).toBe(before)
    },
  )
})
