import { setupServer } from 'msw/node'
import { PathologyClient } from 'pathology-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createFake, NOW, ORDER, startFake } from '../support.js'

/** If the fake's clock were behind the client's, tokens would count as expired at once. */
const FOLLOWING = { startTime: undefined }

describe('the client of this package on every transport of the fake', () => {
  it('the client works without sockets, by its own fetch', async () => {
    const fake = createFake({ ...FOLLOWING, seedReferrals: 0 })
    await using client = new PathologyClient(fake.clientOptions())
    const placed = await client.referrals.create({ ...ORDER, tests: [...ORDER.tests] })
    expect(fake.referrals.all().map(({ uuid }) => uuid)).toEqual(placed.referrals.map(({ uuid }) => uuid))
    const pdf = await client.referrals.document(placed.referrals[0].uuid)
    expect(
      Buffer.from(await pdf.bytes())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
  })

  it('the client works over HTTP', async () => {
    const fake = await startFake(FOLLOWING)
    await using client = new PathologyClient(fake.clientOptions())
    const listed = await client.referrals.list().toArray({ limit: 500 })
    expect(listed.map(({ uuid }) => uuid)).toEqual(fake.referrals.all().map(({ uuid }) => uuid))
  })

  it('the client works by global fetch under MSW', async () => {
    const fake = createFake(FOLLOWING)
    const server = setupServer(...fake.handlers())
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    await using client = new PathologyClient({ ...fake.clientOptions(), fetch: globalThis.fetch })
    const vendors = await client.vendors.list().toArray()
    expect(vendors.length).toBeGreaterThan(0)
    expect(fake.requests.map(({ route }) => route)).toEqual(['token', 'vendors.list'])
  })

  it('the client works with a stopped clock in the past', async () => {
    const fake = createFake({ startTime: NOW })
    await using client = new PathologyClient(fake.clientOptions())
    await client.vendors.list().toArray()
    await client.vendors.list().toArray()
    expect(fake.requests.filter(({ route }) => route === 'token')).toHaveLength(1)
    expect(fake.requests.filter(({ status }) => status === 401)).toEqual([])
  })
})
