import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { createFake, orderOverApi, record, startFake } from '../support.js'

const HOOK = 'https://hooks.integrator.example/'

const DOCTOR = { uuid: 'd', firstName: 'Ann', lastName: 'Lee' }
const TEST = { id: 'my-test', name: 'My test', priceCents: 100 }
const BUNDLE = { id: 'my-bundle', name: 'My bundle', testIds: ['hba1c'] }

/** Records and faults of a fake. */
function dataOf(fake: FakePathologyService): unknown {
  const { catalogue, orders, webhooks, faults } = fake.snapshot().state
  return structuredClone({ catalogue, orders, webhooks, faults })
}

const incoming = (fake: FakePathologyService, partial = false): string =>
  fake.results.receiveIncoming({ tests: ['full-blood-count'], partial }).uuid

function held(fake: FakePathologyService): string {
  const uuid = incoming(fake)
  fake.results.hold(uuid)
  return uuid
}

describe('the control API rejects invalid input, names the field and its rule, and changes nothing', () => {
  it.each<[string, string, unknown, RegExp]>([
    ['POST', '/referrals/next-orders', { outcome: 'lost' }, /billing-failed/],
    ['POST', '/clock/advance', { weeks: 1 }, /weeks/],
    ['POST', '/faults', { route: 'GET /v1/vendors', stutus: 500 }, /stutus/],
    ['POST', '/faults', { status: 500 }, /^route must be a string/],
    ['POST', '/restore', { format: 'x', state: 'y' }, /not a snapshot/],
    ['POST', '/reset', [1], /must be a JSON object/],
    ['PUT', '/vendors/nobody', { enabled: true }, /no vendor 'nobody'/],
    [
      'POST',
      '/referrals/{uuid}/complete',
      { values: { ferritin: 41 } },
      /^values: ferritin must be a string, such as '5\.4'$/,
    ],
    ['POST', '/referrals/{uuid}/complete', { values: '41' }, /^values must be an object/],
    [
      'POST',
      '/results/{result}/amend',
      { values: { ferritin: 'abc' } },
      /^values: ferritin must be a number/,
    ],
    ['POST', '/faults', { route: '*', status: 600 }, /^fault: status must be an integer from 200 to 599$/],
    [
      'POST',
      '/faults',
      { route: '*', headers: ['a'] },
      /^fault: headers must be an object of valid header names and values$/,
    ],
    [
      'POST',
      '/referrals/next-orders',
      { outcome: 'accepted', times: 1e9 },
      /^times must be an integer from 1 to 1000000$/,
    ],
    ['POST', '/clock/advance', { days: 1e9 }, /^clock step: the clock cannot go past the year 9999$/],
    ['POST', '/trigger', { eventName: 'result.complet', data: {} }, /did you mean result\.complete\?$/],
    [
      'POST',
      '/clock/advance?minutes=5',
      undefined,
      /^this action does not read a query: pass minutes in the JSON body$/,
    ],
    ['DELETE', '/faults?id=1', undefined, /^this action does not read a query: pass id in the JSON body$/],
    ['GET', '/requests?after=last', undefined, /^after must be the number of a request$/],
    ['PUT', '/quota', { limit: 5 }, /^quota: perMs must be an integer of at least 1$/],
    ['PUT', '/quota', { limit: null, perMs: 1_000 }, /^quota: limit must be an integer of at least 0$/],
    ['POST', '/trigger', { eventName: 5 }, /^trigger: eventName must be a string that is not empty$/],
    ['POST', '/trigger', { eventName: 'referral.issued', data: 'x' }, /^trigger: data must be an object$/],
    [
      'POST',
      '/webhooks',
      { url: HOOK, events: ['referral.isued'] },
      /referral\.isued is not an event; did you mean referral\.issued\?$/,
    ],
    ['POST', '/webhooks', {}, /^webhook: url must be a string that is not empty$/],
    ['POST', '/webhooks', { url: HOOK, events: [] }, /^events must be a list of at least one event name$/],
    [
      'POST',
      '/webhooks',
      { url: 'https://HOOKS.integrator.example/taken', events: ['referral.issued', 'result.created'] },
      /^another webhook already sends referral\.issued to this url$/,
    ],
    [
      'POST',
      '/results/{result}/review',
      { firstName: 'Ann' },
      /^doctor\.uuid is required; doctor\.lastName is required$/,
    ],
    [
      'POST',
      '/results/{held}/release',
      { reviewedBy: { uuid: '1', firstName: 'Ann', lastName: 2 } },
      /^doctor\.lastName must be a string$/,
    ],
    [
      'POST',
      '/deliveries/faults',
      { kind: 'lost', eventName: 'referral.isued' },
      /^referral\.isued is not an event; did you mean referral\.issued\?$/,
    ],
    [
      'POST',
      '/deliveries/faults',
      { kind: 'lost', eventName: 5 },
      /^delivery fault: eventName must be a string/,
    ],
    ['POST', '/deliveries/faults', { times: 1 }, /^delivery fault: kind must be one of bad-signature/],
    ['POST', '/results/{result}/amend', {}, /^values: a correction needs at least one biomarker$/],
    ...['/referrals/{uuid}/complete', '/referrals/{uuid}/partial-results', '/results/{result}/amend'].map(
      (path): [string, string, unknown, RegExp] => [
        'POST',
        path,
        { values: { tsh: '2.1' } },
        /^values: the result has no biomarkers tsh; it has ferritin$/,
      ],
    ),
    [
      'POST',
      '/results/incoming',
      { tests: ['ferritin'], reportOnly: true, values: { ferritin: '9' } },
      /^values: the result has no biomarkers ferritin; it has none$/,
    ],
    ['POST', '/referrals/{uuid}/transfer', { dob: '2026-02-29' }, /^person\.dob must be a calendar date/],
    [
      'POST',
      '/referrals/{uuid}/transfer',
      { address: { city: 'X' } },
      /^person\.address\.addressLine1 is required; person\.address\.state is/,
    ],
    ['POST', '/referrals/{uuid}/transfer', { address: 'X' }, /^person\.address must be an object$/],
    ['POST', '/referrals/{uuid}/complete', { replace: 'yes' }, /^complete: replace must be true or false$/],
    [
      'POST',
      '/results/incoming',
      { person: { firstname: 'A' } },
      /^person\.firstname is not a field.*; did you mean firstName\?$/,
    ],
    ['POST', '/results/incoming', { labPatient: { surname: 'LEE' } }, /^labPatient\.surname is not a field/],
    [
      'POST',
      '/results/incoming',
      { labPatient: { address: { street: 'X' } } },
      /^labPatient\.address\.street is not a field/,
    ],
    [
      'POST',
      '/results/incoming',
      { person: { address: { city: 5 } } },
      /^person\.address\.city must be a string$/,
    ],
    [
      'POST',
      '/catalogue/tests',
      { ...TEST, medicareListed: 'no' },
      /^test: medicareListed must be true or false$/,
    ],
    [
      'POST',
      '/catalogue/tests',
      { id: 'x', name: 'X' },
      /^test: priceCents must be an integer of at least 0$/,
    ],
    ['POST', '/catalogue/tests', {}, /^test: id must be a string that is not blank$/],
    ['POST', '/catalogue/bundles', { id: 'x', name: 'X' }, /^bundle: testIds must be a list of ids$/],
    ['POST', '/results/incoming', { partial: 'yes' }, /^incoming result: partial must be true or false$/],
    ['POST', '/results/{held}/release', { reviewedBy: 'Ann' }, /^doctor must be an object/],
  ])(
    'the control request %s %s with %j is rejected, names the field and its rule, and changes nothing',
    async (method, path, body, message) => {
      const fake = await startFake({ seedReferrals: 0, centreCount: 0 })
      const uuid = await orderOverApi(fake, { tests: ['ferritin'] })
      const other = fake.results.receiveIncoming({ tests: ['ferritin'] }).uuid
      const held = fake.results.receiveIncoming().uuid
      fake.results.hold(held)
      fake.webhooks.createInPortal({ url: `${HOOK}taken`, events: ['referral.issued'] })
      fake.deliverTo(`${HOOK}taken`, () => new Response())
      const before = dataOf(fake)
      const url = `${fake.controlUrl}${path.replace('{uuid}', uuid).replace('{result}', other).replace('{held}', held)}`
      const response = await fetch(url, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json' },
      })
      expect(record(await response.json())).toEqual({ error: true, message: expect.stringMatching(message) })
      expect(response.status).toBe(400)
      expect(dataOf(fake)).toEqual(before)
    },
  )
})

it('the control methods reject the same input as the control API', async () => {
  const fake = createFake({ seedReferrals: 0, centreCount: 0 })
  const call = (method: (...input: never[]) => unknown, ...input: unknown[]) =>
    Reflect.apply(method, fake.faults, input)
  expect(() => call(fake.faults.quota, { limit: 5 })).toThrow(RangeError)
  expect(() => call(fake.faults.quota, { limit: 5, perMs: 1_000, per: 1 })).toThrow(
    'quota: unknown field per; its fields:',
  )
  expect(() => Reflect.apply(fake.deliveries.fault, undefined, [null])).toThrow(
    'delivery fault must be an object',
  )
  expect(() => fake.webhooks.createInPortal({ url: HOOK, events: ['result.in_reviw'] })).toThrow(
    'did you mean result.in_review?',
  )
})

describe('a control method rejects a misspelt field by its name, and changes nothing', () => {
  it.each<[string, (fake: FakePathologyService, uuid: string) => readonly [object, string, ...unknown[]]]>([
    ['deliveries.fault', (fake) => [fake.deliveries, 'fault', { kind: 'lost', event: 'referral.issued' }]],
    ['trigger', (fake) => [fake, 'trigger', 'referral.issued', { entityUUID: 'nobody' }]],
    ['routing.submit', (fake) => [fake.routing, 'submit', { provider: '2051937T' }]],
    ['webhooks.createInPortal', (fake) => [fake.webhooks, 'createInPortal', { url: HOOK, event: [] }]],
    ['referrals.complete', (fake, uuid) => [fake.referrals, 'complete', uuid, { value: { ferritin: '9' } }]],
    ['referrals.transfer', (fake, uuid) => [fake.referrals, 'transfer', uuid, { name: 'Ann' }]],
    ['results.receiveIncoming', (fake) => [fake.results, 'receiveIncoming', { test: ['ferritin'] }]],
    ['results.complete', (fake) => [fake.results, 'complete', incoming(fake, true), { value: {} }]],
    ['results.amend', (fake) => [fake.results, 'amend', incoming(fake), { values: {}, replace: true }]],
    ['results.release', (fake) => [fake.results, 'release', held(fake), { doctor: {} }]],
    ['results.review', (fake) => [fake.results, 'review', incoming(fake), { ...DOCTOR, name: 'Ann' }]],
    ['catalogue.addTest', (fake) => [fake.catalogue, 'addTest', { ...TEST, biomarkers: ['ferritin'] }]],
    ['catalogue.addBundle', (fake) => [fake.catalogue, 'addBundle', { ...BUNDLE, tests: ['hba1c'] }]],
  ])('the method %s rejects a misspelt field by its name, and changes nothing', async (_name, call) => {
    const fake = createFake({ centreCount: 0 })
    const uuid = await orderOverApi(fake, { tests: ['ferritin'] })
    const [group, method, ...input] = call(fake, uuid)
    const before = dataOf(fake)
    const run = (): unknown => Reflect.apply(Reflect.get(group, method), group, input)
    expect(run).toThrow(RangeError)
    expect(run).toThrow(/: unknown field \w+; its fields: \w+|\w+\.name is not a field/)
    expect(dataOf(fake)).toEqual(before)
  })
})

it('a new event of the service can have a delivery fault', () => {
  const fake = createFake({ seedReferrals: 0, centreCount: 0 })
  fake.deliveries.fault({ kind: 'lost', eventName: 'invoice.created' })
  expect(fake.deliveries.unusedFaults()).toMatchObject([{ eventName: 'invoice.created' }])
})

it('a webhook of the portal can have a new event and an event of a webhook with another URL', () => {
  const fake = createFake({ seedReferrals: 0, centreCount: 0 })
  fake.webhooks.createInPortal({ url: `${HOOK}1`, events: ['referral.issued'] })
  const events = ['referral.issued', 'invoice.created', 'invoice.created']
  const webhook = fake.webhooks.createInPortal({ url: `${HOOK}2`, events })
  expect(webhook.events).toEqual(['referral.issued', 'invoice.created'])
})
