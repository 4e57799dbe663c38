import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk, expectShape, faults, uuid } from './support/check.js'
import { at, first, type JsonObject, obj, objects, str, strings } from './support/json.js'
import { biomarker, person, result } from './support/objects.js'
import { issued, patient, recordsOf, referralOf, wholeList } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const tests = recordsOf((await service.call('GET', '/v1/tests?include=biomarkers')).body)
const withMarkers = tests.filter((entry) => objects(entry['biomarkers']).length > 0)
const testIds = withMarkers.slice(0, 3).map((entry) => str(entry['id']))
const fetched = async (id: unknown): Promise<JsonObject> =>
  obj(expectOk(await service.call('GET', `/v1/results/${str(typeof id === 'string' ? id : null)}`)))

const referral = await issued(service, { tests: testIds, metadata: { client: 77 } })
const put = obj(expectOk(await service.call('PUT', `/v1/referrals/${str(referral['uuid'])}`)))
const whole = await fetched(put['resultsUuid'])
const half = await issued(service, { tests: testIds })
const halfPut = obj(expectOk(await service.call('PUT', `/v1/referrals/${str(half['uuid'])}?partial`)))
const partial = await fetched(halfPut['resultsUuid'])
const incoming = await fetched(at(await service.control('POST', '/results/incoming', {}), 'uuid'))
const reportOnly = await fetched(
  at(await service.control('POST', '/results/incoming', { reportOnly: true }), 'uuid'),
)
const everyResult = await wholeList(service, '/v1/results')

const kinds = [
  ['whole', whole],
  ['partial', partial],
  ['incoming', incoming],
  ['report only', reportOnly],
] as const
describe.each(kinds)('§2.5 a result, %s', (_kind, found) => {
  it('each of its fields has its type', () => expectShape([found], result))
  it('each field of its person has its type', () => expectShape([at(found, 'person')], person))
  it('each field of each biomarker has its type', () => {
    const markers = objects(found['biomarkers'])
    if (markers.length > 0) expectShape(markers, biomarker)
  })
  it('biomarkerSummary counts the biomarkers', () => {
    const summary = found['biomarkerSummary']
    if (summary === null) return
    const [normal, abnormal, critical, total] = ['normal', 'abnormal', 'critical', 'total'].map((name) =>
      Number(at(summary, name)),
    )
    expect(total).toBe(objects(found['biomarkers']).length)
    expect(Number(normal) + Number(abnormal) + Number(critical)).toBeLessThanOrEqual(Number(total))
    for (const count of [normal, abnormal, critical]) expect(count).toBeGreaterThanOrEqual(0)
  })
  it('the report text has no formatting codes', () => {
    for (const message of strings(at(found, 'report', 'pit') ?? []))
      expect(message).not.toMatch(/~|\\[A-Z]+\\/)
  })
  it('v1.0.0 and v1.1.0 return the same result', async () => {
    for (const version of ['1.0.0', '1.1.0']) {
      const answer = await service.call('GET', `/v1/results/${str(found['uuid'])}`, { version })
      const body = obj(expectOk(answer))
      for (const name of ['report', 'labPatient', 'provenance', 'biomarkers', 'person', 'status'])
        expect(body[name]).toEqual(found[name])
    }
  })
  it('is in the list, in the same shape', () => {
    const entry = everyResult.find((one) => one['uuid'] === found['uuid'])
    for (const name of Object.keys(found).filter((name) => name !== 'resultAttachment'))
      expect(entry?.[name]).toEqual(found[name])
  })
  it('resultAttachment is a URL or null', () => {
    const link = found['resultAttachment']
    if (link !== null) expect(str(link)).toMatch(/^https?:\/\//)
  })
  it('each field of labPatient in the table is present', () => {
    if (found['labPatient'] === null) return
    for (const name of [
      'firstName',
      'lastName',
      'dob',
      'gender',
      'email',
      'phone',
      'medicareNumber',
      'address',
    ])
      expect(obj(found['labPatient'])).toHaveProperty(name)
    for (const name of ['addressLine1', 'addressLine2', 'city', 'state', 'postCode', 'country'])
      expect(at(found, 'labPatient', 'address')).toHaveProperty(name)
  })
})

describe('§2.5 ORDERED', () => {
  const copied: [string, unknown][] = [
    ['provenance', 'ORDERED'],
    ['referralUuid', referral['uuid']],
    ['referenceNumber', referral['referenceNumber']],
    ['reference', referral['reference']],
    ['metadata', { client: 77 }],
    ['person', referral['person']],
    ['productId', referral['productId']],
    ['productName', referral['productName']],
    ['deletedAt', null],
    ['status', 'COMPLETE'],
  ]
  it('repeats the values of its referral', () => {
    for (const [name, wanted] of copied) expect(whole[name], name).toEqual(wanted)
  })
  it('person has the values of the order', () => expect(whole['person']).toMatchObject(patient))
  it('has biomarkers of the ordered tests', () => {
    const known = withMarkers
      .slice(0, 3)
      .flatMap((entry) => objects(entry['biomarkers']).map((one) => one['id']))
    const found = objects(whole['biomarkers']).map((one) => one['id'])
    expect(found.length).toBeGreaterThan(0)
    for (const id of found) expect(known).toContain(id)
  })
  it('a partial result has fewer biomarkers than a complete one', () => {
    expect(objects(partial['biomarkers']).length).toBeLessThan(objects(whole['biomarkers']).length)
    expect(partial['status']).toBe('PARTIAL_RESULTS')
  })
  it('the other biomarkers are added to the same result', async () => {
    await service.call('PUT', `/v1/referrals/${str(half['uuid'])}`)
    const now = await fetched(partial['uuid'])
    expect(now['status']).toBe('COMPLETE')
    expect(objects(now['biomarkers']).length).toBeGreaterThan(objects(partial['biomarkers']).length)
    expect(Date.parse(str(now['updatedAt']))).toBeGreaterThanOrEqual(Date.parse(str(partial['updatedAt'])))
  })
  it('without metadata on the referral, the result has an object or null', async () => {
    const plain = await issued(service, { tests: testIds })
    const done = obj((await service.call('PUT', `/v1/referrals/${str(plain['uuid'])}`)).body)
    const metadata = (await fetched(done['resultsUuid']))['metadata']
    expect(typeof metadata).toBe('object')
  })
})

describe('§2.5 INCOMING', () => {
  it('has its provenance, no referral and no referenceNumber', () => {
    expect(incoming).toMatchObject({ provenance: 'INCOMING', referralUuid: null, referenceNumber: null })
  })
  it('is not in the list of referrals', async () => {
    const referrals = await wholeList(service, '/v1/referrals')
    expect(referrals.map((entry) => entry['resultsUuid'])).not.toContain(incoming['uuid'])
  })
  it('a report without biomarkers is a complete result', () => {
    expect(reportOnly['biomarkers']).toEqual([])
    expect(strings(at(reportOnly, 'report', 'pit')).length).toBeGreaterThan(0)
  })
  it('missing details of a client are empty strings, and a missing dob is null', async () => {
    const made = await service.control('POST', '/results/incoming', {
      person: { firstName: 'Only', lastName: 'Name' },
    })
    const found = obj((await fetched(at(made, 'uuid')))['person'])
    expect(found).toMatchObject({
      firstName: 'Only',
      lastName: 'Name',
      email: '',
      phone: '',
      gender: '',
      dob: null,
    })
  })
})

describe('§2.6 biomarkers of all results of the organisation', () => {
  const markers = everyResult.flatMap((entry) => objects(entry['biomarkers']))
  it('§2.5 each field of every result has its type', () => expectShape(everyResult, result))
  it('each field of every biomarker has its type', () => expectShape(markers, biomarker))
  it('biomarkers with text values exist, have canonical, and no ranges', () => {
    const texts = markers.filter((entry) => entry['valueType'] !== 'numeric')
    expect(texts.length).toBeGreaterThan(0)
    for (const entry of texts) {
      expect(entry['additionalRanges'] ?? null).toBeNull()
      expect(obj(entry['canonical'])['status']).toEqual(expect.stringMatching(/\S/))
    }
  })
  it('a numeric value is abnormal outside its interval, and normal inside it', () => {
    for (const entry of markers) {
      const [low, high, value] = [entry['refIntervalLow'], entry['refIntervalHigh'], Number(entry['value'])]
      if (entry['valueType'] !== 'numeric' || Number.isNaN(value) || typeof entry['isAbnormal'] !== 'boolean')
        continue
      const out = (typeof low === 'number' && value < low) || (typeof high === 'number' && value > high)
      if (typeof low === 'number' || typeof high === 'number')
        expect(entry['isAbnormal'], JSON.stringify(entry)).toBe(out)
    }
  })
  it('formattedValue contains the value', () => {
    for (const entry of markers) expect(str(entry['formattedValue'])).toContain(str(entry['value']))
  })
  it('canonical with already-standard repeats value and unit', () => {
    const standard = markers.filter((entry) => at(entry, 'canonical', 'status') === 'already-standard')
    expect(standard.length).toBeGreaterThan(0)
    for (const entry of standard) expect(String(at(entry, 'canonical', 'value'))).toBe(str(entry['value']))
  })
  it('low is never above high', () => {
    for (const entry of markers) {
      const [low, high] = [entry['refIntervalLow'], entry['refIntervalHigh']]
      if (typeof low === 'number' && typeof high === 'number') expect(low).toBeLessThanOrEqual(high)
    }
  })
  it('every ORDERED result has its referral, which has its UUID', async () => {
    for (const entry of everyResult.filter((one) => one['provenance'] === 'ORDERED').slice(0, 15)) {
      expect(uuid(entry['referralUuid'])).toBe(true)
      expect((await referralOf(service, str(entry['referralUuid'])))['resultsUuid']).toBe(entry['uuid'])
    }
  })
  it('there are ORDERED and INCOMING results', () => {
    expect(new Set(everyResult.map((entry) => entry['provenance']))).toEqual(new Set(['ORDERED', 'INCOMING']))
  })
})

describe('§3.2 a result in review', () => {
  it('is IN_REVIEW until it is released', async () => {
    const path = `/results/${str(whole['uuid'])}`
    await service.control('POST', `${path}/hold`)
    const held = await service.call('GET', `/v1${path}`)
    if (held.status === 200) expect(at(held.body, 'status')).toBe('IN_REVIEW')
    await service.control('POST', `${path}/release`, {
      reviewedBy: { uuid: str(referral['uuid']), firstName: 'Ada', lastName: 'Quill' },
    })
    const now = await fetched(whole['uuid'])
    expect(now['status']).toBe('COMPLETE')
    expect(now['reviewedBy']).toMatchObject({ uuid: referral['uuid'], firstName: 'Ada', lastName: 'Quill' })
    expect(faults(now, result)).toEqual([])
  })
  it('a soft-deleted result has deletedAt', async () => {
    const path = `/results/${str(first([incoming])['uuid'])}`
    await service.control('POST', `${path}/soft-delete`)
    const answer = await service.call('GET', `/v1${path}`)
    if (answer.status === 404) expectError(answer, 404, 'RESULT_NOT_FOUND')
    else expect(at(expectOk(answer), 'deletedAt')).not.toBeNull()
  })
})
