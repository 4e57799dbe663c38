import { centreLocation, conceptMap, referralBundle, resultBundle, transaction } from 'pathology-sdk/fhir'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it } from 'vitest'
import { PROVIDER_NUMBER, referral } from '../support/samples.js'
import { BASE, biomarker, patientOf, reportOf, resourcesOf, resultWith } from './samples.js'

const base = { base: BASE }

it.each([
  ['PENDING_VERIFICATION', 'draft'],
  ['CREATED', 'draft'],
  ['ISSUED', 'active'],
  ['SCHEDULED_REISSUE', 'active'],
  ['PARTIAL_RESULTS', 'active'],
  ['COMPLETE', 'completed'],
  ['BILLING_FAILED', 'revoked'],
  ['FAILED_TEST', 'revoked'],
  ['REFUNDED', 'revoked'],
  ['INSUFFICIENT_DATA', 'unknown'],
  ['TRANSFERRED', 'unknown'],
  ['A_NEW_ONE', 'unknown'],
])(
  "a referral that is %s becomes a request that is %s, and the service's own word is kept (§3.1)",
  (status, expected) => {
    const [request] = resourcesOf(referralBundle(referral({ status }), base), 'ServiceRequest')
    expect(request?.status).toBe(expected)
    expect(request?.extension?.[0]?.valueCodeableConcept).toEqual({ text: status })
  },
)

it('a deleted referral becomes revoked requests', () => {
  const bundle = referralBundle(referral({ deletedAt: '2026-03-02T00:00:00Z' }), base)
  expect(resourcesOf(bundle, 'ServiceRequest')[0]?.status).toBe('revoked')
})

it('the bundle of a referral has a request for each test, the doctor and the notes', () => {
  const given = referral({
    tests: ['tsh', 'fbc', 'tsh'],
    orderingPractitioner: { name: 'Dr Ada Roe', address: '1 Clinic Road', providerNumber: '242 6621b' },
    orderingPractitionerClinicalNotes: 'Tired',
  })
  const bundle = referralBundle(given, { ...base, tests: [{ id: 'fbc', name: 'Full blood count' }] })
  const [role] = resourcesOf(bundle, 'PractitionerRole')
  expect(role).toMatchObject({
    identifier: [{ value: PROVIDER_NUMBER }],
    practitioner: { display: 'Dr Ada Roe' },
  })
  expect(resourcesOf(bundle, 'ServiceRequest')).toMatchObject([
    { code: { coding: [{ system: `${BASE}/test`, code: 'tsh' }], text: 'tsh' } },
    {
      code: { coding: [{ system: `${BASE}/test`, code: 'fbc', display: 'Full blood count' }] },
      requisition: { system: `${BASE}/reference`, value: '12345678' },
      requester: { reference: `urn:uuid:${role?.id}` },
      authoredOn: given.createdAt,
      note: [{ text: 'Tired' }],
    },
  ])
  expect(bundle.gaps).toContainEqual({ element: 'ServiceRequest.code', reason: 'no-code', test: 'tsh' })
})

it('the bundle of a referral has the same resources as that of its result', () => {
  const given = referral()
  const order = referralBundle(given, base)
  const result = resultBundle({ ...resultWith({}), referralUuid: given.uuid }, { ...base, referral: given })
  expect(result.bundle.entry).toEqual(expect.arrayContaining(order.bundle.entry))
  expect(reportOf(result).basedOn).toEqual(
    resourcesOf(order, 'ServiceRequest').map(({ id }) => ({ reference: `urn:uuid:${id}` })),
  )
  expect(patientOf(result)).toEqual(patientOf(order))
})

it('the Patient of a referral is not replaced by a bundle of its result alone', () => {
  const given = referral()
  const order = referralBundle(given, base)
  const result = resultBundle({ ...resultWith({}), referralUuid: given.uuid }, base)
  expect(patientOf(result).id).not.toBe(patientOf(order).id)
})

it('a transaction stores each resource under its id', () => {
  const { bundle } = resultBundle(resultWith({}), base)
  expect(transaction(bundle)).toEqual({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: bundle.entry.map((entry) => ({
      ...entry,
      request: { method: 'PUT', url: `${entry.resource.resourceType}/${entry.resource.id}` },
    })),
  })
  expect(bundle).toMatchObject({ type: 'collection' })
})

it('conceptMap uses only equal and equivalent targets that have a system', () => {
  const target = (code: string, equivalence: string) => ({ code, equivalence, display: 'TSH' })
  const codes = conceptMap({
    group: [
      {
        target: 'http://loinc.org',
        element: [
          {
            code: 'tsh',
            target: [target('3016-3', 'equal'), target('11580-8', 'equivalent'), target('1', 'wider')],
          },
          { code: 'fbc', target: [target('58410-2', 'equal')] },
          { code: 'esr' },
        ],
      },
      { element: [{ code: 'tsh', target: [target('x', 'equal')] }] },
    ],
  })
  expect(codes(biomarker())).toEqual(
    ['3016-3', '11580-8'].map((code) => ({ system: 'http://loinc.org', code, display: 'TSH' })),
  )
  expect(codes({ id: 'esr' })).toEqual([])
  expect(conceptMap({})({ id: 'tsh' })).toEqual([])
})

const [centre] = new FakePathologyService().centres.all()
if (centre === undefined) throw new Error('the fake has no centre')

it.each([
  ['ACTIVE', 'active'],
  ['MISSING', 'suspended'],
  ['RETIRED', 'inactive'],
  ['A_NEW_ONE', undefined],
])('a collection centre that is %s becomes a Location that is %s (§3.4)', (status, expected) => {
  expect(centreLocation({ ...centre, status }, base).status).toBe(expected)
})

it('a Location has hours only of days that are open, and ends a day at 23:59:59', () => {
  const day = (name: string, status: string, opens: string, closes: string) => ({
    ...{ day: name, status, text: null, periods: [{ opens, closes }] },
  })
  const openingHours = [
    day('MONDAY', 'OPEN', '07:30', '24:00'),
    day('TUESDAY', 'CLOSED', '07:30', '12:00'),
    day('WEDNESDAY', 'UNKNOWN', '07:30', '12:00'),
    day('THURSDAY', 'OPEN', 'early', '12:00'),
    day('HOLIDAY', 'OPEN', '07:30', '12:00'),
  ]
  expect(centreLocation({ ...centre, openingHours }, base).hoursOfOperation).toEqual([
    { daysOfWeek: ['mon'], openingTime: '07:30:00', closingTime: '23:59:59' },
  ])
  expect(centreLocation({ ...centre, openingHours: null }, base)).not.toHaveProperty('hoursOfOperation')
})

it('a Location has what the service knows of a collection centre', () => {
  const location = centreLocation(
    { ...centre, venueName: 'Mall', bookingUrl: 'https://book.example', lat: 0 },
    base,
  )
  expect(location).toMatchObject({
    id: centre.uuid,
    identifier: [{ system: `${BASE}/centre`, value: centre.uuid }],
    name: centre.name,
    alias: ['Mall'],
    address: { line: [centre.address], postalCode: centre.postcode, country: 'AU' },
    position: { latitude: 0, longitude: centre.lng },
    managingOrganization: { display: centre.pathologyProviderName },
  })
  expect(location.telecom).toContainEqual({ system: 'url', value: 'https://book.example' })
  expect(centreLocation({ ...centre, lng: null }, base)).not.toHaveProperty('position')
})
