const { createHmac, randomBytes } = require('node:crypto')
const { createServer } = require('node:http')
const { PathologyClient, encryptedTokenStore } = require('pathology-sdk')
const { FakePathologyService } = require('pathology-sdk/testing')
const { createWebhookReceiver, verifyWebhook } = require('pathology-sdk/webhooks')
const ORDER = {
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
}
test('an order in a fake in process', async () => {
  const fake = new FakePathologyService({ seedReferrals: 0, centreCount: 10 })
  const client = new PathologyClient(fake.clientOptions())
  const {
    referrals: [{ uuid }],
  } = await client.referrals.create(ORDER)
  expect((await client.referrals.list().toArray()).length).toBe(1)
  const pdf = await client.referrals.document(uuid).bytes()
  expect(Buffer.from(pdf).subarray(0, 5).toString()).toBe('%PDF-')
  await expect(client.vendors.list({}, { signal: AbortSignal.abort() }).toArray()).rejects.toMatchObject({
    name: 'AbortError',
  })
})
test('a fake with a server, and both receivers', async () => {
  const fake = await FakePathologyService.start({
    port: 0,
    seedReferrals: 5,
    centreCount: 10,
    allowLoopbackWebhooks: true,
  })
  const client = new PathologyClient(fake.clientOptions())
  expect((await client.vendors.list().toArray()).length).toBeGreaterThan(0)
  const seen = []
  const receiver = createWebhookReceiver({
    secret: fake.signingSecret,
    on: { '*': ({ eventName }) => void seen.push(eventName) },
  })
  const server = createServer(receiver.node)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  fake.webhooks.createInPortal({
    url: `http://127.0.0.1:${server.address().port}/`,
    events: ['result.updated'],
  })
  fake.trigger('result.updated')
  await fake.settled()
  expect(seen).toEqual(['result.updated'])
  fake.deliverTo(`http://127.0.0.1:${server.address().port}/`, receiver.fetch)
  fake.trigger('result.updated')
  await fake.settled()
  expect(seen.length).toBe(2)
  server.close()
  server.closeAllConnections()
  await client.close()
  await fake.close()
})
test('bytes of Node and of the environment', async () => {
  const body = Buffer.from('{"eventName":"a","eventUuid":"b","version":"1.0","data":{}}')
  await verifyWebhook(
    body,
    { 'x-svc-hmac-sha256': createHmac('sha256', 's').update(body).digest('hex') },
    's',
  )
  for (const key of [randomBytes(32), Uint8Array.from(randomBytes(32))]) {
    const entries = new Map()
    const store = encryptedTokenStore(entries, key)
    await store.set('name', 'x')
    expect(await store.get('name')).toBe('x')
  }
})
