import type { Referral } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import type { Reply, Script } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { REFERRAL, refusal, reset, server } from './reconciler-world.js'

const PATCH = `PATCH ${REFERRAL}`
const GET = `GET ${REFERRAL}`
const SECOND = 1_000
const limited: Reply = { ...refusal(429, 'X'), headers: { 'retry-after': '5' } }
const patch = { phone: referral().person.phone, metadata: { clinic: 'south' } }

/** A referral with the patch's values. */
const holding = (change: Partial<Referral>) =>
  referral({ uuid: UUID, metadata: { clinic: 'south' }, ...change })

/** A service whose Date headers and `updatedAt` follow a clock that differs from the client's clock by `clockOffsetMs`. */
async function setUp({ clockOffsetMs = 0 } = {}) {
  const service = await server()
  const clock = new SkippingClock()
  const at = (ms: number): string => new Date(clock.now() + clockOffsetMs + ms).toISOString()
  const dated = (reply: Reply): Reply => ({
    ...reply,
    headers: { ...reply.headers, date: new Date(clock.now() + clockOffsetMs).toUTCString() },
  })
  const script = (patches: readonly Reply[], ...reads: readonly (() => Referral)[]): void => {
    service.on(
      PATCH,
      ...patches.map(
        (reply): Script =>
          () =>
            dated(reply),
      ),
    )
    service.on(
      GET,
      ...reads.map(
        (read): Script =>
          () =>
            dated({ json: read() }),
      ),
    )
  }
  const update = (options = {}) => clientOf(service.origin, { clock }).referrals.update(UUID, patch, options)
  return { service, at, clock, script, update }
}

it('a lost update whose values were the same before is sent once more when the referral has not been changed since, and this response counts (§4.1)', async () => {
  const { service, script, update, at } = await setUp()
  const done = holding({ status: 'SCHEDULED_REISSUE', reference: '99999999' })
  script([reset, { json: done }], () => holding({ updatedAt: at(-60 * SECOND) }))
  await expect(update()).resolves.toEqual(done)
  expect(service.count(PATCH)).toBe(2)
})

it('a lost update whose values were the same before is unknown when the response to the repeat is lost too, and is not sent a third time, whatever maxRetries is (§4.1)', async () => {
  const { service, script, update, at } = await setUp()
  script([reset], () => holding({ updatedAt: at(-60 * SECOND) }))
  expect(await rejection(update({ maxRetries: 9 }))).toMatchObject({ outcome: 'unknown', attempts: 2 })
  expect(service.count(PATCH)).toBe(2)
})

it('a lost update whose values were the same before is unknown with maxRetries 0, and not sent again (§4.1)', async () => {
  const { service, script, update, at } = await setUp()
  script([reset], () => holding({ updatedAt: at(-60 * SECOND) }))
  expect(await rejection(update({ maxRetries: 0 }))).toMatchObject({ outcome: 'unknown', attempts: 1 })
  expect(service.count(PATCH)).toBe(1)
})

it.each<[string, number, number]>([
  ['at the same time', 0, 1],
  ['1.5 s before it was sent, in full seconds', -1.5 * SECOND, 1],
  ['some seconds before it was sent', -5 * SECOND, 2],
  ['an hour later than by the clock of the client', 0, 1],
  ['an hour later than by the clock of the client, and some seconds before', -5 * SECOND, 2],
])(
  "a lost update whose values were the same before is carried out or sent again after a change %s, by the service's clock (§4.1)",
  async (name, ms, sends) => {
    const { service, script, update, at } = await setUp({
      clockOffsetMs: name.includes('hour') ? 3_600_000 : 0,
    })
    script([reset, { json: holding({}) }], () => holding({ updatedAt: at(ms) }))
    await update()
    expect(service.count(PATCH)).toBe(sends)
  },
)

it('a lost update whose values were the same before is sent again when somebody else changed the referral between the start of the call and its sending (§4.1)', async () => {
  const { service, script, update, at, clock } = await setUp()
  const others = at(SECOND)
  script([limited, reset, { json: holding({}) }], () => holding({ updatedAt: others }))
  await update()
  expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(5 * SECOND)
  expect(service.count(PATCH)).toBe(3)
})

it('a lost update whose values were the same before is carried out when the response to the repeat is lost, and the first update has taken effect by then (§4.1)', async () => {
  const { service, script, update, at } = await setUp()
  const first = { updatedAt: at(0), reference: '99999999' }
  script(
    [reset],
    () => holding({ updatedAt: at(-60 * SECOND) }),
    () => holding(first),
  )
  await expect(update()).resolves.toMatchObject(first)
  expect(service.count(PATCH)).toBe(2)
})

it.each([undefined, null, 'yesterday', 7])(
  'a lost update whose values were the same before is sent again after an updatedAt of %j, which proves nothing (§4.1)',
  async (updatedAt) => {
    const { service, script, update } = await setUp()
    script([reset, { json: holding({}) }], () => ({ ...holding({}), updatedAt }) as Referral)
    await update()
    expect(service.count(PATCH)).toBe(2)
  },
)

it('a lost update whose values were the same before is carried out when its new PDF is being generated, whatever updatedAt is (§3.1)', async () => {
  const { service, script, update, at } = await setUp()
  script([reset], () => holding({ status: 'SCHEDULED_REISSUE', updatedAt: at(-60 * SECOND) }))
  await update()
  expect(service.count(PATCH)).toBe(1)
})

it('INVALID_STATUS on the repeat of a lost update shows that the first update succeeded, if the referral could be changed a moment ago (§3.1)', async () => {
  const { script, update, at } = await setUp()
  const old = { updatedAt: at(-60 * SECOND) }
  script(
    [reset, refusal(400, 'INVALID_STATUS')],
    () => holding(old),
    () => holding({ ...old, status: 'COMPLETE' }),
  )
  await expect(update()).resolves.toMatchObject({ status: 'COMPLETE' })
})

it('INVALID_STATUS on the repeat of a lost update shows that nothing was done, if the referral could not be changed before either (§3.1)', async () => {
  const { service, script, update, at } = await setUp()
  script([reset, refusal(400, 'INVALID_STATUS')], () =>
    holding({ status: 'COMPLETE', updatedAt: at(-60 * SECOND) }),
  )
  expect(await rejection(update())).toMatchObject({ name: 'BadRequestError', code: 'INVALID_STATUS' })
  expect(service.count(PATCH)).toBe(2)
})
