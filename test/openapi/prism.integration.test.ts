import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'

import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { API_VERSIONS } from '../../src/contract/versions.js'
import { cards, pngUri, providerNumber } from '../conformance/support/samples.js'
import { freePort } from '../support/server-process.js'

const UUID = '3f2b8c1e-6a4d-4b7e-9c55-0d1e2f3a4b5c'
const PRISM = fileURLToPath(
  new URL('../tools/node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url),
)
const DOCUMENT = fileURLToPath(new URL('../../openapi.json', import.meta.url))

/** Starts Prism with the document, until the test ends. Returns its URL. */
async function startPrism(command: 'mock' | 'proxy', ...more: readonly string[]): Promise<string> {
  const port = await freePort()
  const args = [PRISM, command, DOCUMENT, ...more, '--port', String(port)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill())
  let log = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        log += String(chunk)
        if (log.includes('Prism is listening')) resolve()
      })
    child.on('exit', () => reject(new Error(`prism ${command} ended: ${log}`)))
  })
  return `http://127.0.0.1:${port}`
}

function strictClient(url: string): PathologyClient {
  const client = new PathologyClient({
    baseUrl: url,
    authUrl: url,
    clientId: 'fake-client-id',
    clientSecret: 'fake-client-secret',
    responseValidation: 'strict',
    maxRetries: 0,
  })
  onTestFinished(() => client.close())
  return client
}

/** Every read of the SDK, by its endpoint. */
const READS: Readonly<Record<string, (client: PathologyClient) => Promise<unknown>>> = {
  'referrals.list': (client) => client.referrals.list().toArray(),
  'referrals.retrieve': (client) => client.referrals.retrieve(UUID),
  'results.list': (client) => client.results.list().toArray(),
  'results.retrieve': (client) => client.results.retrieve(UUID),
  'tests.list': (client) => client.tests.list({ include: ['biomarkers'] }).toArray(),
  'biomarkers.list': (client) => client.biomarkers.list().toArray(),
  'bundles.list': (client) => client.bundles.list().toArray(),
  'prices.calculate': (client) => client.prices.calculate({ tests: ['vitamin-d'] }),
  'providers.list': (client) => client.providers.list().toArray(),
  'providers.retrieve': (client) => client.providers.retrieve(providerNumber(511_001)),
  'vendors.list': (client) => client.vendors.list().toArray(),
  'centres.list': (client) => client.centres.list({ states: ['NT'] }).toArray(),
  'centres.retrieve': (client) => client.centres.retrieve(UUID),
  'webhooks.list': (client) => client.webhooks.list().toArray(),
  'webhooks.eventNames': (client) => client.webhooks.eventNames(),
  'webhooks.retrieve': (client) => client.webhooks.retrieve(UUID),
}

it('a mock server from openapi.json serves every read of the SDK in strict mode', async () => {
  expect(Object.keys(READS).toSorted()).toEqual(
    ENDPOINTS.filter(({ retry }) => retry === 'safe')
      .map(({ id }) => id)
      .toSorted(),
  )
  const client = strictClient(await startPrism('mock'))
  for (const [id, read] of Object.entries(READS)) {
    const content = await read(client)
    expect(content, id).toBeTruthy()
    if (Array.isArray(content)) expect(content.length, id).toBeGreaterThan(0)
  }
})

it('a proxy that checks each message against openapi.json finds no violation between SDK and fake, and finds a planted one', async () => {
  const fake = await FakePathologyService.start({ seedReferrals: 40, centreCount: 300 })
  onTestFinished(() => fake.close())
  const client = strictClient(await startPrism('proxy', fake.baseUrl, '--errors'))
  await placeOrders(client, fake)
  for (const apiVersion of API_VERSIONS) await readAll(client, apiVersion)
  await manageProviders(client)
  await manageWebhooks(client)
  await expect(client.referrals.retrieve(UUID)).rejects.toMatchObject({ code: 'REFERRAL_NOT_FOUND' })
  fake.faults.next('GET /v1/vendors', { status: 200, body: { vendors: [{ id: 1 }] } })
  await expect(client.vendors.list().toArray()).rejects.toMatchObject({ status: 500 })
})

async function placeOrders(client: PathologyClient, fake: FakePathologyService): Promise<void> {
  const [test] = await client.tests.list().toArray({ limit: 1 })
  const tests = [test?.id ?? '']
  const doctor = { name: 'Dr Ada Quill', address: '1 Rooms Road', providerNumber: providerNumber(511_001) }
  await client.providers.save({ ...doctor, encodedSignature: pngUri })
  const { referrals } = await client.referrals.create({
    ...PATIENT,
    tests,
    medicareTests: tests,
    orderingPractitioner: doctor,
    medicareCardNumber: cards.eleven,
  })
  const [first, second] = referrals
  const uuid = first?.uuid ?? ''
  await client.referrals.update(uuid, { phone: '0411111111', metadata: { plan: 'gold' } })
  await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  await client.referrals.generateResults(uuid, { partial: true })
  await client.referrals.generateResults(uuid)
  fake.results.amend((await client.referrals.retrieve(uuid)).resultsUuid ?? '', {
    values: { [fake.results.all().at(-1)?.biomarkers[0]?.id ?? '']: '1' },
  })
  await client.referrals.delete(second?.uuid ?? '')
}

async function readAll(client: PathologyClient, apiVersion: (typeof API_VERSIONS)[number]): Promise<void> {
  const version = { apiVersion }
  for (const { uuid } of await client.referrals.list({}, version).toArray()) {
    await client.referrals.retrieve(uuid, version)
  }
  for (const { uuid } of await client.results.list({}, version).toArray()) {
    await client.results.retrieve(uuid, version)
  }
  await client.tests.list({ include: ['biomarkers'] }, version).toArray()
  await client.biomarkers.list({}, version).toArray()
  await client.bundles.list({ includeUnlisted: true }, version).toArray()
  await client.prices.calculate({ bundleId: 'iron-check' }, version)
  const centres = await client.centres.list({ lat: -33.87, lng: 151.2, count: 100 }, version).toArray()
  await client.centres.retrieve(centres[0]?.uuid ?? '', version)
  await client.webhooks.eventNames(version)
}

async function manageProviders(client: PathologyClient): Promise<void> {
  const number = providerNumber(511_001)
  const [vendor] = await client.vendors.list().toArray()
  await client.providers.requestRouting(number, {
    vendorIds: [vendor?.id ?? ''],
    attestation: { attestedBy: 'Practice manager', doctorSignedAt: '2026-03-01' },
  })
  await client.providers.update(number, { phone: '0390000000' })
  await client.providers.retrieve(number)
  await client.providers.list().toArray()
  const other = providerNumber(511_002)
  await client.providers.save({
    providerNumber: other,
    name: 'Dr B',
    address: '2 Rooms Road',
    encodedSignature: pngUri,
  })
  await client.providers.retire(other)
}

async function manageWebhooks(client: PathologyClient): Promise<void> {
  const { id } = await client.webhooks.create({
    url: 'https://example.com/hook',
    events: ['result.complete'],
  })
  await client.webhooks.update(id, { active: false })
  await client.webhooks.retrieve(id)
  await client.webhooks.list().toArray()
  await client.webhooks.delete(id)
}

const PATIENT = {
  firstName: 'Matilda',
  lastName: 'Nguyen',
  email: 'matilda@example.com',
  phone: '0400000000',
  address: { addressLine1: '12 Wattle Street', city: 'Darwin', state: 'NT', country: 'Australia' },
  dob: '1984-02-29',
  gender: 'female',
  referenceNumber: 'PRISM-1',
} as const
