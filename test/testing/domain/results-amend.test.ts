import { describe, expect, it } from 'vitest'
import type { Result } from '../../../src/contract/types.js'
import { reportText } from '../../../src/display/report-text.js'
import { startFake, type TestFake } from './orders-support.js'

const canonicalOf = (result: Result, id: string): unknown =>
  result.biomarkers.find((biomarker) => biomarker.id === id)?.canonical.value

async function completed(fake: TestFake): Promise<{ uuid: string; referral: string }> {
  const { uuid } = await fake.orderOne({ tests: ['lipid-panel'] })
  const { resultsUuid } = fake.referrals.complete(uuid, {
    values: { 'total-cholesterol': '4.1', 'hdl-cholesterol': '1.5' },
  })
  return { uuid: resultsUuid ?? '', referral: uuid }
}

describe('a laboratory corrects a complete result (§3.2)', () => {
  it('new values are in the result, its canonical values and its summary, and the status stays (§3.2)', async () => {
    const fake = await startFake()
    const { uuid, referral } = await completed(fake)
    const before = await fake.result(uuid)
    fake.results.amend(uuid, { values: { 'total-cholesterol': '9.9' } })
    const after = await fake.result(uuid)
    expect([canonicalOf(before, 'total-cholesterol'), canonicalOf(after, 'total-cholesterol')]).toEqual([
      '4.1',
      '9.9',
    ])
    expect(canonicalOf(after, 'hdl-cholesterol')).toBe('1.5')
    expect(canonicalOf(after, 'non-hdl-cholesterol')).toBe('8.4')
    expect(after.biomarkerSummary?.normal).toBeLessThan(before.biomarkerSummary?.normal ?? 0)
    expect(after.status).toBe('COMPLETE')
    expect((await fake.referral(referral)).status).toBe('COMPLETE')
    expect(after.updatedAt > before.updatedAt).toBe(true)
  })

  it('the report of a corrected result keeps the first text and gets a message with what changed (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = await completed(fake)
    const [first] = (await fake.result(uuid)).report?.pit ?? []
    fake.results.amend(uuid, { values: { 'total-cholesterol': '9.9' } })
    fake.results.amend(uuid, { values: { 'hdl-cholesterol': '1.1' } })
    const after = await fake.result(uuid)
    const pit = after.report?.pit ?? []
    expect(pit).toHaveLength(3)
    expect(pit[0]).toBe(first)
    expect(pit[0]).toContain('FINAL REPORT')
    expect(pit[1]).toContain('CORRECTED REPORT')
    expect(pit[1]).toMatch(/Cholesterol, total +9\.9/i)
    expect(pit[1]).not.toMatch(/^\d+ .HDL cholesterol/im)
    expect(pit[2]).toMatch(/HDL cholesterol +1\.1/i)
    expect(reportText(after)).toContain('CORRECTED REPORT')
  })

  it('a correction sends result.updated and result.complete, and no event of the referral (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await completed(fake)
    const before = fake.deliveries.events().length
    fake.results.amend(uuid, { values: { 'total-cholesterol': '9.9' } })
    const events = fake.deliveries.events().slice(before)
    expect(events.map(({ eventName }) => eventName)).toEqual(['result.updated', 'result.complete'])
    expect(events.map(({ entityUuid }) => entityUuid)).toEqual([uuid, uuid])
  })

  it('with the option reviewHold a correction is held until its release (§3.2)', async () => {
    const fake = await startFake({ reviewHold: true })
    const { uuid } = await completed(fake)
    fake.results.release(uuid)
    fake.results.amend(uuid, { values: { 'total-cholesterol': '9.9' } })
    expect((await fake.result(uuid)).status).toBe('IN_REVIEW')
    fake.results.release(uuid)
    expect(canonicalOf(await fake.result(uuid), 'total-cholesterol')).toBe('9.9')
  })

  it('an INCOMING result can be corrected too', async () => {
    const fake = await startFake()
    const { uuid } = fake.results.receiveIncoming({ tests: ['lipid-panel'] })
    expect(fake.results.amend(uuid, { values: { 'hdl-cholesterol': '2.2' } }).status).toBe('COMPLETE')
    expect(canonicalOf(await fake.result(uuid), 'hdl-cholesterol')).toBe('2.2')
  })

  it('a correction is rejected for a partial result, without values, and with biomarkers of other tests', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne({ tests: ['lipid-panel'] })
    const partial = fake.referrals.partialResults(uuid).resultsUuid ?? ''
    const values = { 'total-cholesterol': '9.9' }
    expect(() => fake.results.amend(partial, { values })).toThrow(/is PARTIAL_RESULTS/)
    fake.referrals.complete(uuid)
    expect(() => fake.results.amend(partial, { values: {} })).toThrow(/at least one biomarker/)
    expect(() => fake.results.amend(partial, { values: { nonsense: '1' } })).toThrow(/nonsense/)
    expect(() => fake.results.amend(partial, { values: { tsh: '1' } })).toThrow(/has no biomarkers tsh/)
    expect(canonicalOf(await fake.result(partial), 'total-cholesterol')).not.toBe('9.9')
  })
})
