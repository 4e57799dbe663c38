import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { type Browser, chromiumPath, type Page, startChromium } from '../../tools/chromium.js'
import { authorised, orderOverApi, startFake } from '../support.js'
import { openConsole, shows } from './console.browser.js'

const SIZES = [
  { name: 'a desk', viewport: { width: 1280, height: 820 } },
  { name: 'a phone', viewport: { width: 390, height: 800 } },
] as const

const [DESK] = SIZES

/** The page must not be wider than its window, on a desk and on a phone. */
async function fits(page: Page): Promise<void> {
  const before = page.viewportSize() ?? DESK.viewport
  for (const { viewport } of SIZES) {
    await page.setViewportSize(viewport)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
  }
  await page.setViewportSize(before)
}

/** Text that the next press of a copy button would copy. */
function copied(page: Page, name: string): Promise<string | null> {
  return page.getByRole('button', { name }).getAttribute('data-copy')
}

describe.skipIf(chromiumPath === undefined)('the views of the console', { timeout: 60_000 }, () => {
  const { viewport } = DESK
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium(chromiumPath ?? '')
  })
  afterAll(() => browser.close())

  it('the overview of the console shows the last events and the next steps; its title names the view, its clock the time zone', async () => {
    const fake = await startFake({ centreCount: 10, issueTiming: { afterMs: 3_600_000 } })
    const page = await openConsole(browser, fake, '', { viewport })
    const uuid = await orderOverApi(fake)
    await page.getByRole('link', { name: 'Pathology fake' }).click()
    const overview = page.locator('article')
    await shows(overview.first(), 'referral.created')
    await shows(overview.first(), 'a referral changes its status')
    await shows(overview.first(), 'in 1 h')
    expect(await page.title()).toBe('Overview · Pathology fake')
    await shows(page.locator('#clock'), 'UTC')
    expect(await page.locator('#clock .zone').isVisible()).toBe(true)
    await fits(page)
    const face = await page.locator('#clock .zone').boundingBox()
    const step = await page.getByRole('button', { name: '+1 min' }).boundingBox()
    expect((face?.x ?? 0) + (face?.width ?? 0)).toBeLessThan(step?.x ?? 0)
    await page.locator('article').getByRole('button', { name: 'Advance to this event' }).click()
    await shows(overview.first(), 'referral.issued')
    await page.getByRole('link', { name: 'referral.created' }).click()
    await shows(page.locator('.detail h2'), 'Ada Byron')
    expect(await page.title()).toBe(`Referrals ${uuid.slice(0, 8)} · Pathology fake`)
  })

  it.each(SIZES)('on $name, a form of the console places an order over the API', async ({ viewport }) => {
    const fake = await startFake({ centreCount: 10 })
    const page = await openConsole(browser, fake, '', { viewport })
    await page.getByRole('link', { name: 'Place an order' }).click()
    await expect.poll(() => page.title()).toBe('Place an order · Pathology fake')
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Last name').fill('Hopper')
    await page.getByLabel('Reference number').fill('DESK-7')
    const chosen = page.getByRole('group', { name: 'Tests', exact: true })
    await page.getByLabel('Filter tests').fill('vitamin d')
    await chosen.getByTitle('vitamin-d').check()
    await page.getByLabel('Filter tests').fill('urate')
    await chosen.getByTitle('urate').check()
    await shows(chosen.getByRole('status'), '2 choices')
    await page.getByText('More fields: Bundle').click()
    await page.getByRole('group', { name: 'Medicare tests' }).getByTitle('urate').check()
    await fits(page)
    await page.getByRole('button', { name: 'Place the order' }).click()
    await shows(page.locator('.detail h2'), 'Grace Hopper')
    const orders = fake.referrals.all().slice(-2)
    expect(orders).toMatchObject([
      { referenceNumber: 'DESK-7', tests: ['vitamin-d', 'urate'], medicare: false },
      { referenceNumber: 'DESK-7', tests: ['urate'], medicare: true },
    ])
    expect(fake.requests.at(-1)).toMatchObject({ route: 'referrals.create', status: 200 })
  })

  it('the console shows both directions of a request, marks a repeat, and copies it as curl without secrets', async () => {
    const fake = await startFake({ centreCount: 10 })
    const headers = await authorised(fake)
    await orderOverApi(fake)
    await orderOverApi(fake)
    const page = await openConsole(browser, fake, '#/requests/2', { viewport })
    const detail = page.locator('.detail')
    await shows(detail, 'Response headers')
    await shows(detail, 'x-request-id')
    await shows(detail, '"referenceNumber": "ORDER-1"')
    await shows(detail, '"object": "referral"')
    await shows(detail.locator('dl'), 'request 1')
    const curl = (await copied(page, 'Copy as curl')) ?? ''
    expect(curl).not.toContain(headers['authorization'])
    const output = execFileSync('sh', ['-c', `SECRET=token; ${curl.replace(/^curl/, 'printf "%s\\n"')}`])
    const words = output.toString().split('\n')
    expect(words.slice(0, 3)).toEqual(['--request', 'POST', `${fake.baseUrl}/v1/referrals`])
    expect(words).toContain('authorization: Bearer token')
    expect(JSON.parse(words[words.indexOf('--data-binary') + 1] ?? '')).toMatchObject({ firstName: 'Ada' })
    await fits(page)
    await page.goto(`${fake.controlUrl}/#/requests`)
    await shows(page.locator('.rows li').first(), 'repeats 1')

    const uuid = fake.referrals.all().at(-1)?.uuid
    await (await fake.fetch(`${fake.baseUrl}/v1/referrals/${uuid}`, { headers })).json()
    await page.goto(`${fake.controlUrl}/#/requests/${fake.requests.count}`)
    await shows(detail, 'signature=[redacted]')
    expect(await detail.getByText('The first part of').count()).toBe(0)
  })

  it("the console shows a receiver's reason when a signature is invalid, and resends a delivery with its own time", async () => {
    const receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(401, { 'content-type': 'application/json', 'x-receiver': 'clinic' })
      response.end('{"error":"signature-mismatch"}')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close())
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const fake = await startFake({ centreCount: 10 })
    fake.webhooks.createInPortal({ url: `http://127.0.0.1:${port}/` })
    const page = await openConsole(browser, fake, '#/deliveries', { viewport })
    fake.deliveries.fault({ kind: 'bad-signature' })
    fake.trigger('referral.refunded')
    await shows(page.locator('#notes'), 'signature-mismatch')
    await shows(page.locator('#notes'), 'the signature is invalid')

    await fake.clock.advance({ minutes: 45 })
    fake.deliveries.resend(fake.deliveries[0]?.eventUuid ?? '')
    await fake.settled()
    const resent = page.locator('.rows li').first()
    await shows(resent, 'Resent')
    await shows(resent, '09:45:')
    await resent.click()
    await shows(page.locator('.detail header'), 'Resent')
    await shows(page.getByRole('region', { name: 'Attempts' }).locator('tbody tr').first(), / ms/)
    const table = await page.getByRole('region', { name: 'Attempts' }).boundingBox()
    expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual(viewport.width)
    await page.getByText('Headers and response of attempt 1').click()
    await shows(page.locator('.detail details[open]'), 'x-receiver')
    await shows(page.locator('.detail details[open]'), 'x-svc-hmac-sha256')
    await shows(page.locator('.detail details[open]'), 'signature-mismatch')
    expect(await copied(page, 'Copy as curl')).toContain('x-svc-hmac-sha256: ')
    await fits(page)
  })

  it('the console amends a result, in one system of units', async () => {
    const fake = await startFake({ centreCount: 10 })
    const tests = ['lipid-panel', 'full-blood-count', 'kidney-function', 'hba1c']
    const { resultsUuid } = fake.referrals.complete(await orderOverApi(fake, { tests }))
    const uuid = resultsUuid ?? ''
    const page = await openConsole(browser, fake, `#/results/${uuid}`, { viewport })
    for (const { id, canonical, formattedValue } of fake.results.retrieve(uuid).biomarkers) {
      const row = page.locator(`tr[data-biomarker="${id}"]`)
      await shows(row.locator('.value'), canonical.formattedValue ?? formattedValue)
    }
    await page.getByRole('button', { name: 'Amend' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Values: name').selectOption('triglycerides')
    await dialog.getByRole('textbox').fill('7.7')
    await dialog.getByRole('button', { name: 'Amend' }).click()
    await shows(page.locator('tr[data-biomarker="triglycerides"] .value'), '7.7')
    expect(fake.deliveries.events().at(-1)?.eventName).toBe('result.complete')
    await fits(page)
  })

  it('the console removes delivery faults, and every fault at once', async () => {
    const fake = await startFake({ centreCount: 10 })
    const page = await openConsole(browser, fake, '#/faults', { viewport })
    fake.faults.next('GET /v1/vendors', { status: 500 })
    fake.deliveries.fault({ kind: 'lost' })
    await page.getByRole('button', { name: 'Remove delivery faults' }).click()
    await shows(page.locator('#notes'), 'Remove delivery faults: done')
    expect([fake.faults.list().length, fake.deliveries.unusedFaults().length]).toEqual([1, 0])
    fake.deliveries.fault({ kind: 'lost' })
    await page.getByRole('button', { name: 'Remove all faults' }).click()
    await shows(page.locator('#notes p').last(), /^Faults removed/)
    expect([fake.faults.list().length, fake.deliveries.unusedFaults().length]).toEqual([0, 0])
  })

  it('the console changes options of the running fake, and closes a dialog on navigation', async () => {
    const fake = await startFake({ centreCount: 10 })
    const page = await openConsole(browser, fake, '#/settings', { viewport, expected: /status of 400/ })
    const dialog = page.getByRole('dialog')
    const change = async (name: string): Promise<void> => {
      await page.locator('tr', { hasText: name }).getByRole('button', { name: 'Change' }).click()
    }
    await change('reviewHold')
    await dialog.getByRole('combobox').selectOption('true')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await shows(page.locator('tr', { hasText: 'reviewHold' }), 'Changed')
    const { resultsUuid } = fake.referrals.complete(await orderOverApi(fake))
    expect(fake.results.retrieve(resultsUuid ?? '').status).toBe('IN_REVIEW')
    await change('orderLatencyMs')
    await dialog.getByRole('textbox').fill('-1')
    await dialog.getByRole('textbox').press('Enter')
    await shows(page.locator('#notes'), "option 'orderLatencyMs' must be an integer of at least 0")
    await page.keyboard.press('Escape')
    expect(await page.locator('tr', { hasText: 'centreCount' }).getByRole('button').count()).toBe(0)
    await page
      .locator('tr', { hasText: 'reviewHold' })
      .getByRole('button', { name: 'Restore default' })
      .click()
    await shows(page.locator('tr', { hasText: 'reviewHold' }), 'false')
    await fits(page)

    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('dialog').waitFor()
    await page.evaluate("location.hash = '#/faults'")
    await page.locator('body[data-view=faults]').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(fake.referrals.all().length).toBeGreaterThan(0)
  })
})
