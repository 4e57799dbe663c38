// This example needs MSW 3 and Node 22.12 or later. MSW intercepts requests at the sockets, also those of undici. So the client
// runs as in production, without the option fetch.
import { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import { defineNetwork, InterceptorSource } from 'msw/experimental'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'

const fake = new FakePathologyService({ centreCount: 10, seedReferrals: 0 })
const network = defineNetwork({
  sources: [new InterceptorSource({ interceptors: [new HttpRequestInterceptor()] })],
  handlers: fake.handlers(),
  onUnhandledFrame: 'error',
  context: { quiet: true }, // otherwise MSW prints every request, with tokens and patients' details
})
await network.enable()

const { fetch: _, ...options } = fake.clientOptions()
const client = new PathologyClient(options)
const { referrals } = await client.referrals.create({
  firstName: 'Alex',
  lastName: 'Example',
  email: 'alex@example.com',
  phone: '0400 000 000',
  address: {
    addressLine1: '1 Example Street',
    city: 'Fremantle',
    state: 'WA',
    postCode: '6160',
    country: 'AU',
  },
  dob: '1986-04-23',
  gender: 'female',
  referenceNumber: 'booking-1',
  tests: ['ferritin'],
})
for (const { uuid } of referrals) {
  await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  const pdf = await client.referrals.document(uuid).bytes()
  console.log(`a PDF of ${pdf.byteLength} bytes`)
}
console.log(`${fake.requests.length} requests went through MSW`)

await client.close()
await network.disable()
