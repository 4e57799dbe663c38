import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

import { snapshotToJson } from 'pathology-sdk/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { type Browser, chromiumPath, type Page, startChromium } from '../../tools/chromium.js'
import { authorised, orderOverApi, startFake } from '../support.js'
import { openConsole, percent, shows } from './console.browser.js'

if (chromiumPath === undefined) {
  process.stderr.write('The console is not tried in a browser: there is no chromium on this machine.\n')
}

/** Presses a button of the current record. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('toolbar').getByRole('button', { name, exact: true }).click()
}

/** Cells whose text overlaps the next one. */
const OVERLAPPING = `[...document.querySelectorAll('th, td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)`

describe.skipIf(chromiumPath === undefined)('the console in a browser', { timeout: 40_000 }, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await startChromium(chromiumPath ?? '')
  })
  afterAll(async () => {
    await browser.close()
  })

  it('the console shows an order when it is placed, and moves it to COMPLETE by its buttons (§3.1)', async () => {
    const fake = await startFake({ centreCount: 10 })
    const page = await openConsole(browser, fake)
    const uuid = await orderOverApi(fake)
    const row = page.locator('.rows li').first()
    await shows(row, 'Ada Byron')
    await shows(row, 'Issued')

    await row.click()
    const heading = page.locator('.detail h2')
    await shows(heading, 'Ada Byron')
    await shows(page.locator('.timeline'), 'POST /v1/referrals')
    await shows(page.locator('.timeline'), 'referral.issued')
    expect(await page.getByRole('toolbar').getByRole('button', { name: 'Issue', exact: true }).count()).toBe(
      0,
    )

    await press(page, 'Partial results')
    await shows(heading, 'Partial results')
    expect(fake.referrals.retrieve(uuid).status).toBe('PARTIAL_RESULTS')
    await press(page, 'Complete')
    await shows(heading, 'Complete')
    expect(fake.referrals.retrieve(uuid).status).toBe('COMPLETE')
    await shows(page.getByRole('toolbar'), 'No further actions.')
    await shows(row, 'Complete')

    await page.getByRole('link', { name: 'Result', exact: true }).click()
    await page.locator('tr[data-biomarker]').first().waitFor()
    const { biomarkers } = fake.results.retrieve(String(fake.referrals.retrieve(uuid).resultsUuid))
    expect(await page.locator('tr[data-biomarker]').count()).toBe(biomarkers.length)
    for (const { name, formattedValue, canonical } of biomarkers) {
      const shown = canonical.formattedValue ?? formattedValue
      await shows(page.locator('tr[data-biomarker]').filter({ hasText: name }), shown)
    }
  })

  it('the console draws each value at its position in its interval, and describes it in words (§2.6)', async () => {
    const fake = await startFake({ centreCount: 10 })
    const uuid = await orderOverApi(fake, { tests: ['lipid-panel', 'full-blood-count'] })
    const values = { haemoglobin: '145', platelets: '100', 'white-cell-count': '900', triglycerides: '<0.5' }
    const { resultsUuid } = fake.referrals.complete(uuid, { values })
    const page = await openConsole(browser, fake, `#/results/${resultsUuid}`)
    const chart = (id: string) => page.locator(`tr[data-biomarker="${id}"]`)

    const inside = chart('haemoglobin')
    await inside.waitFor()
    const from = await percent(inside.locator('.band'), 'x')
    const to = from + (await percent(inside.locator('.band'), 'width'))
    // 120 to 170 g/L: 145 is the middle.
    expect(await percent(inside.locator('circle'), 'cx')).toBeCloseTo((from + to) / 2, 5)
    expect(await inside.getByRole('img').getAttribute('aria-label')).toBe('145 g/L: inside the interval')

    const below = chart('platelets')
    expect(await percent(below.locator('circle'), 'cx')).toBeLessThan(
      await percent(below.locator('.band'), 'x'),
    )
    expect(await below.locator('.flag').textContent()).toBe('L')
    expect(await below.locator('svg').getAttribute('data-inside')).toBe('false')

    const farAbove = chart('white-cell-count')
    expect(await farAbove.locator('circle').count()).toBe(0)
    expect(await farAbove.locator('svg text').count()).toBe(1)
    expect(await farAbove.locator('.flag').textContent()).toBe('H')

    expect(await chart('triglycerides').locator('circle').count()).toBe(1)
    expect(await page.locator('tr.additional').count()).toBeGreaterThan(0)
  })

  it('the console shows deliveries with attempts, responses and signatures, and its clock sends the retry (§6)', async () => {
    const received: { headers: IncomingHttpHeaders; status: number }[] = []
    const receiver = createServer((request, response) => {
      request.resume()
      const status = received.length === 0 ? 503 : 204
      received.push({ headers: request.headers, status })
      response.writeHead(status).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close())
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const fake = await startFake({ centreCount: 10 })
    const page = await openConsole(browser, fake, '#/deliveries')

    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(`http://127.0.0.1:${port}/hooks`)
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await shows(page.locator('.detail table'), `http://127.0.0.1:${port}/hooks`)
    await page.getByLabel('Event name').selectOption('referral.refunded')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const row = page.locator('.rows li').first()
    await shows(row, 'referral.refunded')
    await shows(row, 'Waiting')
    await row.click()

    const attempts = page.getByRole('region', { name: 'Attempts' }).locator('tbody tr')
    await shows(attempts, '503')
    const [first] = received
    expect(await attempts.first().locator('[data-copy]').getAttribute('data-copy')).toBe(
      first?.headers['x-svc-hmac-sha256'],
    )
    await shows(attempts, 'Signature valid')

    await page.getByRole('button', { name: '+1 min' }).click()
    await shows(page.locator('.detail h2'), 'Delivered')
    await shows(attempts.nth(1), '204')
    await shows(page.locator('#clock'), '09:01:00')
    expect(fake.clock.iso()).toMatch(/^2026-03-02T09:01:00/)
    expect(received.map(({ status }) => status)).toEqual([503, 204])
  })

  it('the console injects a fault, shows it as waiting, and then the request that got it', async () => {
    const fake = await startFake({ centreCount: 10 })
    const page = await openConsole(browser, fake, '#/faults')
    await page.getByLabel('Route').selectOption('GET /v1/vendors')
    await page.getByLabel('Preset').selectOption('Error status')
    await page.getByLabel('Status', { exact: true }).fill('502')
    await page.getByLabel('Times').first().fill('2')
    await page.getByRole('button', { name: 'Add fault' }).click()
    const waiting = page.getByRole('region', { name: 'Pending faults' }).locator('tr').first()
    await shows(waiting, 'GET /v1/vendors')
    await shows(waiting, '2 requests')

    const headers = await authorised(fake)
    expect((await fetch(`${fake.baseUrl}/v1/vendors`, { headers })).status).toBe(502)
    await shows(waiting, '1 request')
    await page.getByRole('link', { name: /^Requests/ }).click()
    const row = page.locator('.rows li').first()
    await shows(row, 'GET /v1/vendors')
    await shows(row, '502')
    await shows(row, 'fault 1')
    await row.click()
    await shows(page.locator('.detail'), 'fault 1 applied')
    expect(await page.locator('.detail').textContent()).not.toContain(headers['authorization'])
  })

  it('the console shows a name with HTML as text everywhere', async () => {
    const fake = await startFake({ centreCount: 10 })
    const firstName = '<img src=x onerror="document.title=1">'
    const lastName = `"><script>document.title='2'</script>`
    const uuid = await orderOverApi(fake, {
      firstName,
      lastName,
      referenceNumber: `javascript:alert('3')`,
      metadata: { '<b onclick=alert(4)>': '</pre><iframe src=https://evil.example>' },
    })
    const { resultsUuid } = fake.referrals.complete(uuid)
    const page = await openConsole(browser, fake, `#/referrals/${uuid}`)
    await shows(page.locator('.detail h2'), `${firstName} ${lastName}`)
    await shows(page.locator('.rows li').first(), `${firstName} ${lastName}`)
    await page.goto(`${fake.controlUrl}/#/results/${resultsUuid}`)
    await shows(page.locator('.detail h2'), `${firstName} ${lastName}`)
    await page.goto(`${fake.controlUrl}/#/requests/1`)
    await shows(page.locator('.detail pre'), 'onerror')
    expect(await page.locator('img, iframe, script:not([src="/console.js"]), b[onclick]').count()).toBe(0)
    expect(await page.title()).toBe('Requests 1 · Pathology fake')
  })

  it('the console receives, holds and releases results, and refreshes the directory', async () => {
    const fake = await startFake({ centreCount: 40 })
    const page = await openConsole(browser, fake, '#/results')
    await page.getByRole('button', { name: 'New partial result' }).click()
    const heading = page.locator('.detail h2')
    await shows(heading, 'Partial results')
    await press(page, 'Complete')
    await shows(heading, 'Complete')
    await press(page, 'Hold')
    await shows(heading, 'In review')
    await press(page, 'Release')
    await shows(heading, 'Complete')
    expect(fake.results.all().at(-1)).toMatchObject({ provenance: 'INCOMING', status: 'COMPLETE' })

    await page.getByRole('link', { name: 'Directory' }).click()
    await page.getByLabel('Updated').fill('3')
    await page.getByLabel('Missing').fill('2')
    await page.getByRole('button', { name: 'Refresh the directory' }).click()
    const counts = page.getByRole('region', { name: 'Refreshes' }).locator('tbody td')
    await counts.first().waitFor()
    expect((await counts.allTextContents()).slice(1)).toEqual(['0', '3', '0', '2', '0'])
    expect(fake.centres.refreshes().at(-1)?.changed.missing).toHaveLength(2)
  })

  it('the console takes a snapshot, restores it, and resets only after a confirmation', async () => {
    const fake = await startFake({ centreCount: 10 })
    const before = fake.referrals.all().length
    const page = await openConsole(browser, fake, '#/settings')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    const restore = page.getByRole('button', { name: 'Restore', exact: true })
    await restore.waitFor()
    await orderOverApi(fake)
    await restore.click()
    await shows(page.locator('#notes'), 'Snapshot restored')
    expect(fake.referrals.all()).toHaveLength(before)

    const buffer = Buffer.from(snapshotToJson(fake.snapshot()))
    const chooser = page.locator('input[type=file]')
    for (let round = 0; round < 2; round += 1) {
      await orderOverApi(fake)
      expect(fake.referrals.all()).toHaveLength(before + 1)
      await chooser.setInputFiles({ name: 'fake.json', mimeType: 'application/json', buffer })
      await expect.poll(() => fake.referrals.all().length).toBe(before)
      // With a value, the browser would not report that the same file is chosen again.
      expect(await chooser.inputValue()).toBe('')
      // The page ignores a control whose last action still runs.
      await page.locator('input[type=file]:not([aria-busy])').waitFor({ state: 'attached' })
    }

    await orderOverApi(fake)
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(fake.referrals.all()).toHaveLength(before + 1)
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await shows(page.locator('#notes'), 'Reset: done')
    expect(fake.referrals.all()).toHaveLength(before)
  })

  it('the console shows fifty of many referrals, and works with keys only', async () => {
    const fake = await startFake({ centreCount: 10, seedReferrals: 400 })
    const own = fake.referrals.all().toReversed()
    const page = await openConsole(browser, fake)
    expect(await page.locator('.rows li').count()).toBe(50)
    await shows(page.locator('.range'), `1–50 of ${own.length}`)
    await page.getByRole('button', { name: 'Older' }).click()
    await shows(page.locator('.range'), `51–100 of ${own.length}`)
    await orderOverApi(fake)
    await shows(page.locator('.range'), `52–101 of ${own.length + 1}`)
    await shows(page.locator('.rows li').first(), String(own[50]?.reference))

    await page.keyboard.press('/')
    await page.keyboard.type('zzzz')
    await shows(page.locator('.list .empty'), 'No referrals match "zzzz".')
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await shows(page.locator('.range'), `1–50 of ${own.length + 1}`)
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.keyboard.type(String(own[120]?.reference))
    await shows(page.locator('.range'), '1–1 of 1')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowDown')
    await shows(page.locator('.detail'), String(own[120]?.uuid))
    await page.keyboard.press('Escape')
    await shows(page.locator('.detail'), 'Overview')
    await page.keyboard.press('2')
    await page.locator('body[data-view=results]').waitFor()
    await page.goBack()
    await page.locator('body[data-view=referrals]').waitFor()
  })

  it('the console keeps typed text and the focus while data changes', async () => {
    const fake = await startFake({ centreCount: 10 })
    const uuid = await orderOverApi(fake)
    const page = await openConsole(browser, fake, `#/referrals/${uuid}`)
    await page.getByRole('searchbox').fill('Ada')
    const fold = page.getByText('API response')
    await fold.click()
    await fold.focus()
    fake.referrals.partialResults(uuid)
    await shows(page.locator('.detail h2'), 'Partial results')
    expect(await page.getByRole('searchbox').inputValue()).toBe('Ada')
    expect(await page.locator('.detail details').getAttribute('open')).toBe('')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
  })

  it("the console fits a phone, and uses the user's colour scheme", async () => {
    const fake = await startFake({ centreCount: 10 })
    const uuid = await orderOverApi(fake, { tests: ['dhea-sulfate', 'full-blood-count'] })
    const result = fake.referrals.complete(uuid)
    const page = await openConsole(browser, fake, '', {
      viewport: { width: 390, height: 800 },
      colorScheme: 'dark',
    })
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(await background()).toBe('rgb(15, 20, 23)')
    for (const view of [
      'overview',
      'referrals/new',
      'referrals',
      'results',
      'deliveries',
      'requests',
      'faults',
      'directory',
      'settings',
      `results/${result.resultsUuid}`,
    ]) {
      await page.goto(`${fake.controlUrl}/#/${view}`)
      await page.locator(`body[data-view=${view.split('/')[0]}]`).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(await page.evaluate(OVERLAPPING)).toEqual([])
    }
    expect((await page.locator('.clock').boundingBox())?.width).toBeGreaterThan(350)
    // A narrower column breaks the words of biomarkers.
    expect((await page.locator('[data-biomarker] th').first().boundingBox())?.width).toBeGreaterThan(105)
    await page.goto(`${fake.controlUrl}/#/referrals/%`)
    await page.locator('.list').waitFor()
    await page.goto(`${fake.controlUrl}/#/referrals/${uuid}`)
    await shows(page.locator('.detail h2'), 'Ada Byron')
    expect(await page.locator('.list').isVisible()).toBe(false)
    await page.getByRole('link', { name: 'All referrals' }).click()
    await page.locator('.list').waitFor()
    expect(await page.locator('.detail').isVisible()).toBe(false)
    const focus = () => page.evaluate('document.activeElement.className')
    await page.locator('.rows .main').first().press('Enter')
    await expect.poll(focus).toBe('detail')
    await page.goBack()
    await expect.poll(focus).toBe('main')
  })
})
