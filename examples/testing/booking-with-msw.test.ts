import { setupServer } from 'msw/node'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { exampleOrder } from '../support/orders.js'
import { book } from './booking.js'

// In a test suite that already uses MSW, add the handlers of the fake.
const fake = new FakePathologyService({ centreCount: 10, seedReferrals: 0 })
const server = setupServer(...fake.handlers())

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterAll(() => server.close())
beforeEach(() => fake.reset())

it('book() orders through the global fetch', async () => {
  // setupServer intercepts the global fetch and node:http, but not undici.
  const client = new PathologyClient({ ...fake.clientOptions(), fetch: globalThis.fetch })

  const booking = await book(client, '1', exampleOrder({ tests: ['ferritin'] }))

  expect(booking).toMatchObject({ state: 'ordered' })
  expect(fake.requests.map(({ method, path }) => `${method} ${path}`)).toContain('POST /v1/referrals')
})
