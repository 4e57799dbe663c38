import type { SweepReport } from 'pathology-sdk/mirror'
import { expect, it } from 'vitest'
import { sharedPGlite } from '../support/pglite.js'
import { createWorld, pgliteDatabase } from './world.js'

const PAGE = 20
const WINDOW_MS = 29 * 86_400_000

const DAYS = 7
const RECENT_PER_DAY = 1
/** Orders between two recent sweeps. */
const ORDERS = 6

it('in a week without any event, sweeps find everything within the stated time, with the stated number of requests', async () => {
  const here = await createWorld(pgliteDatabase(await sharedPGlite()), {
    seedReferrals: 30,
    reviewHold: true,
  })
  const { fake } = here
  const mirror = here.mirrorOf({ sweep: { requestsPerSecond: 10_000 } })
  await mirror.backfill()
  await mirror.sweep('recent')
  const list = { allowed: 0, sent: 0 }
  const count = ({ requests, requestsByUuid }: SweepReport, allowed: number): void => {
    list.sent += requests - requestsByUuid
    list.allowed += allowed
  }
  const pagesOfAll = (): number =>
    Math.ceil((fake.referrals.all().length + 1) / PAGE) + Math.ceil((fake.results.all().length + 1) / PAGE)
  const missing = async (): Promise<number> => {
    const copied = await here.rows(
      `SELECT uuid || COALESCE(body->>'updatedAt', '') || COALESCE(body->>'status', '') AS state FROM {schema}.referral
       UNION ALL SELECT uuid || COALESCE(body->>'updatedAt', '') || COALESCE(body->>'status', '') FROM {schema}.result`,
    )
    const states = new Set(copied.map(({ state }) => state))
    return [...fake.referrals.all(), ...fake.results.all()].filter(
      ({ uuid, updatedAt, status }) => !states.has(`${uuid}${updatedAt}${status}`),
    ).length
  }
  // Records that are not final and older than the time window, which the open sweep reads by UUID.
  const oldOnes = (): number => {
    const until = new Date(fake.clock.now() - WINDOW_MS).toISOString()
    return [...fake.referrals.all(), ...fake.results.all()].filter(
      ({ createdAt, status }) => createdAt < until && status !== 'COMPLETE',
    ).length
  }
  let byUuid = 0
  let oldRecords = 0
  for (let day = 0; day < DAYS; day += 1) {
    for (let run = 0; run < RECENT_PER_DAY; run += 1) {
      const placed: string[] = []
      for (let n = 0; n < ORDERS; n += 1) placed.push(await here.order())
      await fake.clock.advance({ hours: 24 / RECENT_PER_DAY })
      const report = await mirror.sweep('recent')
      byUuid += report.requestsByUuid
      count(report, 2)
      const known = await here.rows('SELECT uuid FROM {schema}.referral WHERE uuid = ANY($1)', [placed])
      expect(known).toHaveLength(placed.length)
    }
    await progress(here, day)
    oldRecords += oldOnes()
    const report = await mirror.sweep('open')
    byUuid += report.requestsByUuid
    count(report, pagesOfAll())
    expect(await missing()).toBe(0)
  }
  const [first] = fake.referrals.all().filter(({ deletedAt }) => deletedAt === null)
  await here.clientOf().referrals.delete(first?.uuid ?? '')
  const report = await mirror.sweep('everything')
  count(report, pagesOfAll())
  expect(report).toMatchObject({ new: 0, changed: 1, recovered: 0 })
  expect(await mirror.verify()).toMatchObject({ differ: 0 })
  expect(list.sent).toBeLessThanOrEqual(Math.ceil(list.allowed * 1.02))
  // One comparison of each list for each sweep (for the recent one, each day), and the deletion.
  expect(byUuid + report.requestsByUuid).toBeLessThanOrEqual(4 * DAYS + 5 + oldRecords)
}, 120_000)

/** Changes of one day to records of the last 30 days: results, corrections of complete ones, late releases. */
async function progress({ fake }: Awaited<ReturnType<typeof createWorld>>, day: number): Promise<void> {
  const since = new Date(fake.clock.now() - WINDOW_MS).toISOString()
  const isYoung = ({ createdAt }: { readonly createdAt: string }): boolean => createdAt > since
  const results = fake.results.all().filter(isYoung)
  const issued = fake.referrals.all().filter((referral) => isYoung(referral) && referral.status === 'ISSUED')
  for (const { uuid } of issued.slice(0, 4)) fake.referrals.complete(uuid)
  const [partial] = issued.slice(4)
  if (partial !== undefined) fake.referrals.partialResults(partial.uuid)
  const held = results.filter(({ status }) => status === 'IN_REVIEW')
  for (const { uuid } of held.slice(0, 2)) fake.results.release(uuid)
  const complete = results.filter(({ status }) => status === 'COMPLETE')
  const corrected = complete[day % Math.max(1, complete.length)]
  const biomarker = corrected?.biomarkers[0]
  if (corrected !== undefined && biomarker !== undefined) {
    fake.results.amend(corrected.uuid, { values: { [biomarker.id]: `${day + 1}.5` } })
  }
  await fake.clock.advance({ minutes: 1 })
}
