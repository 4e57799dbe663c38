import { describe, expect, it } from 'vitest'
import type { Biomarker, Result } from '../../../src/contract/types.js'
import { reportText } from '../../../src/display/report-text.js'
import { fieldOf, listOf, MEDICARE, startFake, type TestFake } from './orders-support.js'

/** The result of an order for which the laboratory reported everything. */
async function completed(
  fake: TestFake,
  changes: Record<string, unknown>,
  values: Record<string, string> = {},
): Promise<Result> {
  const [referral] = await fake.order(changes)
  return fake.result(fake.referrals.complete(referral?.uuid ?? '', { values }).resultsUuid)
}

const find = (result: Result, id: string): Biomarker => {
  const biomarker = result.biomarkers.find((one) => one.id === id)
  if (biomarker === undefined) throw new Error(`no ${id} in the result`)
  return biomarker
}

describe('GET /v1/results/{uuid}', () => {
  it("another organisation's result gives 404 (§1)", async () => {
    const fake = await startFake({ seedReferrals: 60 })
    const [foreign] = fake.results.ofOtherOrganisation()
    const response = await fake.call('GET', `/v1/results/${foreign?.uuid}`)
    expect(response).toMatchObject({ status: 404, body: { code: 'RESULT_NOT_FOUND' } })
  })

  it('a result has every field, and the URL of its PDF (§2.5)', async () => {
    const fake = await startFake()
    const result = await completed(fake, {})
    expect(Object.keys(result).sort()).toEqual(
      [
        ...[
          'uuid',
          'object',
          'provenance',
          'referralUuid',
          'referenceNumber',
          'reference',
          'status',
          'person',
        ],
        ...['labPatient', 'productId', 'productName', 'resultAttachment', 'report', 'createdAt', 'updatedAt'],
        ...['deletedAt', 'resultDate', 'reviewedBy', 'metadata', 'biomarkerSummary', 'biomarkers'],
      ].sort(),
    )
    const pdf = await fetch(result.resultAttachment ?? '')
    expect((await pdf.text()).startsWith('%PDF-')).toBe(true)
  })

  it('metadata is an object when the referral has none, and the product is that of the referral (§2.5)', async () => {
    const fake = await startFake()
    const result = await completed(fake, { tests: undefined, bundleId: 'iron-check' })
    expect(result).toMatchObject({ metadata: {}, productId: 'product-iron-check', productName: 'Iron check' })
  })

  it('the person of a result has the details of the order, also after an update (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { lastName: 'Newname' } })
    const result = await fake.result(fake.referrals.complete(uuid).resultsUuid)
    expect(result.person.lastName).toBe('Newname')
  })

  it('a soft-deleted result has deletedAt, and has no PDF (§3.2, §2.5)', async () => {
    const fake = await startFake()
    const { uuid } = await completed(fake, {})
    fake.results.softDelete(uuid)
    expect(await fake.result(uuid)).toMatchObject({
      deletedAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
      resultAttachment: null,
    })
  })
})

describe('biomarkers of a result (§2.6)', () => {
  it('every biomarker of a large bundle has every field, and always has canonical (§2.6)', async () => {
    const fake = await startFake()
    const result = await completed(fake, {
      tests: ['blood-group', 'urine-microscopy'],
      bundleId: 'executive-check',
    })
    expect(result.biomarkers.length).toBeGreaterThan(50)
    const ids = result.biomarkers.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const biomarker of result.biomarkers) {
      expect(biomarker).toEqual({
        id: expect.stringMatching(/\S/),
        name: expect.stringMatching(/\S/),
        commonName: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        object: 'biomarker',
        value: expect.stringMatching(/\S/),
        formattedValue: expect.stringMatching(/\S/),
        valueType: expect.stringMatching(/^(numeric|text)$/),
        subValueType: null,
        unit: expect.toSatisfy((unit: unknown) => unit === null || typeof unit === 'string'),
        mostCommonUnit: expect.toSatisfy((unit: unknown) => unit === null || typeof unit === 'string'),
        sampleType: expect.stringMatching(/\S/),
        notes: null,
        refIntervalHigh: expect.toSatisfy(isNumberOrNull),
        refIntervalLow: expect.toSatisfy(isNumberOrNull),
        additionalRanges: expect.toSatisfy((ranges: unknown) => ranges === null || Array.isArray(ranges)),
        isAbnormal: expect.toSatisfy((flag: unknown) => flag === null || typeof flag === 'boolean'),
        category: {
          id: expect.any(String),
          name: expect.any(String),
          description: expect.any(String),
          object: 'biomarker-category',
        },
        canonical: {
          status: expect.stringMatching(/^(already-standard|converted|not-numeric)$/),
          reason: biomarker.valueType === 'text' ? expect.any(String) : null,
          value: biomarker.valueType === 'text' ? null : expect.any(String),
          formattedValue: biomarker.valueType === 'text' ? null : expect.any(String),
          unit: expect.toSatisfy((unit: unknown) => unit === null || typeof unit === 'string'),
          subValueType: null,
          refIntervalHigh: expect.toSatisfy(isNumberOrNull),
          refIntervalLow: expect.toSatisfy(isNumberOrNull),
          additionalRanges: expect.toSatisfy((ranges: unknown) => ranges === null || Array.isArray(ranges)),
          isAbnormal: biomarker.isAbnormal,
        },
      })
    }
  })

  it('isAbnormal follows from the value and the interval, and the summary from isAbnormal (§2.6)', async () => {
    const fake = await startFake()
    const seen = { inside: 0, outside: 0 }
    for (let place = 0; place < 5; place += 1) {
      const { biomarkers, biomarkerSummary } = await completed(fake, {
        tests: undefined,
        bundleId: 'executive-check',
      })
      const abnormal = biomarkers.filter(({ isAbnormal }) => isAbnormal === true).length
      expect(biomarkerSummary).toEqual({
        normal: biomarkers.length - abnormal,
        abnormal,
        critical: 0,
        total: biomarkers.length,
      })
      for (const biomarker of biomarkers) {
        const { value, refIntervalLow, refIntervalHigh, isAbnormal, valueType, canonical } = biomarker
        expect(biomarker.formattedValue.startsWith(value)).toBe(true)
        if (canonical.status === 'already-standard') expect(canonical.value).toBe(value)
        if (valueType !== 'numeric' || (refIntervalLow === null && refIntervalHigh === null)) continue
        const outside =
          Number(value) < (refIntervalLow ?? Number.NEGATIVE_INFINITY) ||
          Number(value) > (refIntervalHigh ?? Number.POSITIVE_INFINITY)
        expect(isAbnormal).toBe(outside)
        seen[outside ? 'outside' : 'inside'] += 1
      }
    }
    expect(seen.inside).toBeGreaterThan(seen.outside)
    expect(seen.outside).toBeGreaterThan(5)
  })

  it.each([
    ['3.5', false, 0],
    ['5.2', false, 0],
    ['3.4', true, 0],
    ['2.4', true, 1],
    ['5.3', true, 0],
    ['7.1', true, 1],
  ])(
    'a potassium of %s is abnormal: %s, and counts %i critical (§2.6)',
    async (value, isAbnormal, critical) => {
      const fake = await startFake()
      const result = await completed(fake, { tests: ['kidney-function'] }, { potassium: value })
      expect(find(result, 'potassium')).toMatchObject({
        value,
        formattedValue: `${value} mmol/L`,
        isAbnormal,
        refIntervalLow: 3.5,
        refIntervalHigh: 5.2,
      })
      expect(result.biomarkerSummary?.critical).toBe(critical)
      const { normal = 0, abnormal = 0, total } = result.biomarkerSummary ?? {}
      expect(normal + abnormal + critical).toBe(total)
    },
  )

  it('a text value has no unit and no ranges; canonical has a reason instead of a number (§2.6)', async () => {
    const fake = await startFake()
    const result = await completed(
      fake,
      { tests: ['blood-borne-viruses'] },
      { 'hepatitis-c-antibody': 'Detected', 'hiv-combo': 'Not detected' },
    )
    expect(find(result, 'hepatitis-c-antibody')).toMatchObject({
      valueType: 'text',
      value: 'Detected',
      formattedValue: 'Detected',
      unit: null,
      refIntervalLow: null,
      refIntervalHigh: null,
      additionalRanges: null,
      isAbnormal: true,
      canonical: { status: 'not-numeric', reason: expect.any(String), value: null, additionalRanges: null },
    })
    expect(find(result, 'hiv-combo').isAbnormal).toBe(false)
  })

  it('female sex hormones have no primary interval, and the phases in additionalRanges (§2.6)', async () => {
    const fake = await startFake()
    const result = await completed(fake, { tests: ['female-hormones'] })
    const oestradiol = find(result, 'oestradiol')
    expect(oestradiol).toMatchObject({ refIntervalLow: null, refIntervalHigh: null, isAbnormal: null })
    expect(oestradiol.additionalRanges?.length).toBeGreaterThan(1)
    for (const range of oestradiol.additionalRanges ?? []) {
      expect(range).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        category: 'female-hormone',
        lowRange: expect.toSatisfy(isNumberOrNull),
        highRange: expect.toSatisfy(isNumberOrNull),
      })
    }
  })

  it('lipids have a primary interval, and an additional high-risk target (§2.6)', async () => {
    const fake = await startFake()
    const result = await completed(fake, { tests: ['lipid-panel'] }, { 'ldl-cholesterol': '2.9' })
    const ldl = find(result, 'ldl-cholesterol')
    expect(ldl.refIntervalHigh).not.toBeNull()
    expect(ldl.additionalRanges).toEqual([
      expect.objectContaining({ id: 'high-risk', category: 'lipid-risk-target' }),
    ])
  })

  it('values that depend on other values agree with them (§2.6)', async () => {
    const fake = await startFake()
    const values = { 'total-cholesterol': '6.0', 'hdl-cholesterol': '1.5', triglycerides: '1.1' }
    const result = await completed(fake, { tests: ['lipid-panel'] }, values)
    const number = (id: string): number => Number(find(result, id).canonical.value)
    expect(number('non-hdl-cholesterol')).toBeCloseTo(4.5, 1)
    expect(number('cholesterol-hdl-ratio')).toBeCloseTo(4, 1)
  })

  it('laboratories spell units differently, and some use other units, which canonical converts (§2.6)', async () => {
    const fake = await startFake()
    const units = new Set<string | null>()
    const statuses = new Set<string>()
    for (let place = 0; place < 40; place += 1) {
      const calcium = find(
        await completed(fake, { tests: ['calcium-phosphate'] }, { calcium: '2.50' }),
        'calcium',
      )
      units.add(calcium.unit)
      statuses.add(calcium.canonical.status)
      expect(calcium.canonical).toMatchObject({ value: '2.50', unit: 'mmol/L', refIntervalLow: 2.1 })
      if (calcium.canonical.status === 'converted') {
        expect(calcium.unit).toBe('mg/dL')
        expect(Number(calcium.value)).toBeCloseTo(2.5 / 0.2495, 1)
        expect(calcium.refIntervalLow).toBeCloseTo(2.1 / 0.2495, 1)
      }
    }
    expect([...statuses].sort()).toEqual(['already-standard', 'converted'])
    expect(units.size).toBeGreaterThan(1)
  })

  it('an unusual comparison such as <5 is kept as the laboratory wrote it (§2.6)', async () => {
    const fake = await startFake()
    const crp = find(await completed(fake, { tests: ['c-reactive-protein'] }, { crp: '<1.0' }), 'crp')
    expect(crp.canonical.value).toBe('<1.0')
    expect(crp.isAbnormal).toBe(false)
    expect(crp.value).toMatch(/^</)
  })
})

describe('report text (§2.5)', () => {
  it('a report has one text for each message, in order, with line numbers, partial then complete (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const { resultsUuid } = fake.referrals.partialResults(uuid)
    expect((await fake.result(resultsUuid)).report?.pit).toHaveLength(1)
    fake.referrals.complete(uuid)
    const result = await fake.result(resultsUuid)
    expect(result.report?.pit).toHaveLength(2)
    for (const message of result.report?.pit ?? []) {
      for (const line of message.split('\n')) expect(line).toMatch(/^\d{3}( |$)/)
    }
    const text = reportText(result)
    expect(text).toContain('INTERIM REPORT')
    expect(text).toMatch(/FINAL REPORT\n?$/)
    for (const biomarker of result.biomarkers) expect(text).toContain(biomarker.name)
  })

  it('a report without biomarkers is the complete result (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = fake.results.receiveIncoming({ reportOnly: true })
    const result = await fake.result(uuid)
    expect(result).toMatchObject({ biomarkers: [], biomarkerSummary: null, status: 'COMPLETE' })
    expect(reportText(result)).toContain('MICROSCOPIC REPORT')
  })

  it('some seeded results, which were released before report text was stored, have no report (§2.5)', async () => {
    const fake = await startFake({ seedReferrals: 60 })
    const reports = fake.results.all().map(({ report }) => report === null)
    expect(reports).toContain(true)
    expect(reports).toContain(false)
  })
})

describe('GET /v1/results', () => {
  it('the list of results has pages like the other lists, ORDERED and INCOMING together (§4.2)', async () => {
    const fake = await startFake()
    const incoming = fake.results.receiveIncoming()
    const ordered = await completed(fake, {})
    const { body } = await fake.call('GET', '/v1/results')
    expect(listOf(body, 'results').map((row) => [fieldOf(row, 'uuid'), fieldOf(row, 'provenance')])).toEqual([
      [incoming.uuid, 'INCOMING'],
      [ordered.uuid, 'ORDERED'],
    ])
    expect(fieldOf(body, 'cursor')).toEqual({ cursor: expect.any(String), count: 20, resultCount: 2 })
    expect(listOf(body, 'results')).toEqual([await fake.result(incoming.uuid), ordered])
  })

  it('an option selects the wrapper of the list of results, which the specification does not show (§4.2)', async () => {
    const fake = await startFake({ resultListWrapper: 'data' })
    fake.results.receiveIncoming()
    const { body } = await fake.call('GET', '/v1/results')
    expect(listOf(body, 'data')).toHaveLength(1)
  })

  it('an option selects the default order of the list of results, which the specification does not show (§4.2)', async () => {
    const fake = await startFake({ resultSortDefault: 'desc' })
    const uuids = [fake.results.receiveIncoming(), fake.results.receiveIncoming()].map(({ uuid }) => uuid)
    const listed = async (query: string) =>
      listOf((await fake.call('GET', `/v1/results${query}`)).body, 'results').map((one) =>
        fieldOf(one, 'uuid'),
      )
    expect(await listed('')).toEqual(uuids.toReversed())
    expect(await listed('?sort=asc')).toEqual(uuids)
  })
})

describe('INCOMING results (§1, §2.5)', () => {
  it('INCOMING results have no referral, and the patient as the laboratory wrote them (§2.5)', async () => {
    const fake = await startFake()
    const person = {
      firstName: 'Wirra',
      lastName: "O'Test-Lake",
      email: '',
      phone: '',
      address: { addressLine1: '', city: '', state: '', country: '' },
      dob: null,
      gender: '',
    }
    const { uuid } = fake.results.receiveIncoming({
      person,
      labPatient: { firstName: 'WIRRA', lastName: 'OTESTLAKE', dob: null, medicareNumber: '29518731251' },
    })
    expect(await fake.result(uuid)).toMatchObject({
      provenance: 'INCOMING',
      referralUuid: null,
      referenceNumber: null,
      person,
      labPatient: { firstName: 'WIRRA', lastName: 'OTESTLAKE', dob: null, medicareNumber: '29518731251' },
      metadata: {},
      status: 'COMPLETE',
    })
  })

  it('unknown details of a client are empty strings, and null for the date of birth (§2.2)', async () => {
    const fake = await startFake()
    const { uuid } = fake.results.receiveIncoming({ person: { firstName: 'Only', lastName: 'Name' } })
    expect((await fake.result(uuid)).person).toEqual({
      firstName: 'Only',
      lastName: 'Name',
      email: '',
      phone: '',
      address: { addressLine1: '', addressLine2: null, city: '', state: '', country: '' },
      dob: null,
      gender: '',
    })
  })

  it('a generated patient of an INCOMING result has all fields of the laboratory (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = fake.results.receiveIncoming()
    const { labPatient } = await fake.result(uuid)
    expect(Object.keys(labPatient ?? {}).sort()).toEqual(
      ['firstName', 'lastName', 'dob', 'gender', 'email', 'phone', 'medicareNumber', 'address'].sort(),
    )
    expect(Object.keys(labPatient?.address ?? {}).sort()).toEqual(
      ['addressLine1', 'addressLine2', 'city', 'state', 'postCode', 'country'].sort(),
    )
  })

  it('an INCOMING result can arrive in parts (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = fake.results.receiveIncoming({ tests: ['full-blood-count'], partial: true })
    const partial = await fake.result(uuid)
    expect(partial.status).toBe('PARTIAL_RESULTS')
    fake.results.complete(uuid)
    const whole = await fake.result(uuid)
    expect(whole.status).toBe('COMPLETE')
    expect(whole.biomarkers.length).toBeGreaterThan(partial.biomarkers.length)
    expect(() => fake.results.complete(uuid)).toThrow(/COMPLETE/)
  })

  it("later changes to the caller's values of an INCOMING result have no effect", async () => {
    const fake = await startFake()
    const values = { crp: '3.0' }
    const { uuid } = fake.results.receiveIncoming({ tests: ['c-reactive-protein'], values })
    values.crp = '99.0'
    expect(find(await fake.result(uuid), 'crp').canonical.value).toBe('3.0')
  })
})

describe('results held in review (§6)', () => {
  it('with reviewHold a result is IN_REVIEW until it is released (§6)', async () => {
    const fake = await startFake({ reviewHold: true })
    const held = await completed(fake, {})
    expect(held.status).toBe('IN_REVIEW')
    expect(held.biomarkers.length).toBeGreaterThan(0)
    const reviewedBy = {
      uuid: '5f0c2c1a-6f3e-4b59-9b7e-0d9a3f4d1c11',
      firstName: 'Ada',
      lastName: 'Reviewer',
    }
    fake.results.release(held.uuid, { reviewedBy })
    expect(await fake.result(held.uuid)).toMatchObject({ status: 'COMPLETE', reviewedBy })
  })

  it('an option hides the values of a held result until it is released (§6)', async () => {
    const fake = await startFake({ reviewHold: true, heldResults: 'withheld' })
    const held = await completed(fake, {})
    expect(held).toMatchObject({
      status: 'IN_REVIEW',
      biomarkers: [],
      biomarkerSummary: null,
      report: null,
      resultAttachment: null,
    })
    fake.results.release(held.uuid)
    expect((await fake.result(held.uuid)).biomarkers).toHaveLength(15)
  })

  it('a result can be held and released manually, and a partial one becomes partial again (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const { resultsUuid } = fake.referrals.partialResults(uuid)
    fake.results.hold(resultsUuid ?? '')
    expect((await fake.result(resultsUuid)).status).toBe('IN_REVIEW')
    fake.results.release(resultsUuid ?? '')
    expect((await fake.result(resultsUuid)).status).toBe('PARTIAL_RESULTS')
  })

  it('values that arrive for a held result are held too (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const { resultsUuid } = fake.referrals.partialResults(uuid)
    fake.results.hold(resultsUuid ?? '')
    fake.referrals.complete(uuid)
    expect((await fake.result(resultsUuid)).status).toBe('IN_REVIEW')
    fake.results.release(resultsUuid ?? '')
    expect((await fake.result(resultsUuid)).status).toBe('COMPLETE')
  })

  it('a review names the doctor (§2.5)', async () => {
    const fake = await startFake()
    const { uuid } = await completed(fake, {})
    fake.results.review(uuid)
    expect((await fake.result(uuid)).reviewedBy).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      firstName: expect.any(String),
      lastName: expect.any(String),
    })
  })

  it('changes that a status of a result does not allow are rejected with the reason', async () => {
    const fake = await startFake()
    const { uuid } = await completed(fake, {})
    expect(() => fake.results.release(uuid)).toThrow(/COMPLETE.*IN_REVIEW can be released/)
    fake.results.hold(uuid)
    expect(() => fake.results.hold(uuid)).toThrow(/IN_REVIEW.*PARTIAL_RESULTS or COMPLETE can be held/)
    expect(() => fake.results.hold('00000000-0000-4000-8000-000000000000')).toThrow(/no result/)
    expect(() => fake.results.complete(uuid)).toThrow(/belongs to referral/)
  })
})

it('each referral of a Medicare order has its own result (§4.1 rule 4)', async () => {
  const fake = await startFake()
  const referrals = await fake.order({ ...MEDICARE, tests: ['urate'] })
  const results = referrals.map(({ uuid }) => fake.referrals.complete(uuid).resultsUuid)
  expect(new Set(results).size).toBe(2)
  expect((await fake.result(results[0] ?? null)).biomarkers.map(({ id }) => id)).toEqual(['urate'])
})

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number'
}
