// Takes the screenshots of the fake's console for the documentation: npx tsx scripts/console-images.mjs
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

import { FakePathologyService } from '../src/testing/index.js'
import { chromiumPath, startChromium } from '../test/tools/chromium.js'

const PICTURES = new URL('../docs/images/', import.meta.url)
const ADDRESS = {
  addressLine1: '1 Example Street',
  city: 'Sydney',
  state: 'NSW',
  postCode: '2000',
  country: 'Australia',
}
const ORDER = {
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@patients.example',
  phone: '0491570156',
  address: ADDRESS,
  dob: '1980-01-31',
  gender: 'female',
  referenceNumber: 'ORDER-1001',
  tests: ['iron-studies', 'lipid-panel', 'oestradiol'],
}

/** Starts a fake and fills it with example records. Returns the fake, its receiver and the console's views. */
async function startFake() {
  let received = 0
  const receiver = createServer((request, response) => {
    request.resume()
    received += 1
    response.writeHead(received === 2 ? 503 : 204).end()
  })
  await new Promise((resolve) => receiver.listen(4014, '127.0.0.1', () => resolve(undefined)))
  const ports = { port: 4010, controlPort: 4011, documentsPort: 4012 }
  const fake = await FakePathologyService.start({ ...ports, startTime: '2026-03-02T09:00:00Z' })
  fake.webhooks.createInPortal({ url: 'http://127.0.0.1:4014/webhooks' })
  const { access_token } = await fake.tokens.issue()
  const created = await fake.fetch(`${fake.baseUrl}/v1/referrals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(ORDER),
  })
  const { uuid } = /** @type {{ uuid: string }} */ (await created.json())
  await fake.clock.advance({ minutes: 5 })
  fake.referrals.partialResults(uuid, { values: { ferritin: '9' } })
  await fake.clock.advance({ minutes: 9 })
  const { resultsUuid } = fake.referrals.complete(uuid)
  fake.faults.next('GET /v1/results/{uuid}', { status: 503, retryAfter: 2 }, { times: 2 })
  await fake.settled()
  return {
    fake,
    receiver,
    views: { 'fake-console': `#/results/${resultsUuid}`, 'fake-console-referral': `#/referrals/${uuid}` },
  }
}

if (chromiumPath === undefined) throw new Error('there is no chromium on this machine')
const { fake, receiver, views } = await startFake()
const browser = await startChromium(chromiumPath)
for (const [name, address] of Object.entries(views)) {
  const page = await browser.newPage({ viewport: { width: 1240, height: 720 } })
  await page.goto(`${fake.controlUrl}/${address}`)
  await page.locator('#live[data-live=true]').waitFor()
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, PICTURES)) })
  await page.close()
}
await browser.close()
await fake.close()
receiver.close()
