import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Browser, chromiumPath, type Page, startChromium } from '../../tools/chromium.js'
import { authorised, orderOverApi, record, startFake } from '../support.js'
import { openConsole, shows } from './console.browser.js'

const HOOK = 'http://127.0.0.1:9/hooks'

/** The text of the control that has the focus. */
function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.textContent')
}

describe.skipIf(chromiumPath === undefined)('work in the console', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium(chromiumPath ?? '')
  }, 40_000)
  afterAll(() => browser.close())

  it('the console creates a webhook with some events, pauses it, gives it another URL, and deletes it after a question', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const webhooks = async () => {
      const headers = await authorised(fake)
      const response = await fake.fetch(`${fake.baseUrl}/v1/webhooks`, { headers })
      return record(await response.json())['webhooks']
    }
    const page = await openConsole(browser, fake, '#/deliveries/webhooks')
    await page.getByRole('textbox', { name: 'URL' }).fill(HOOK)
    await page.getByText('More fields: Events').click()
    await page.getByLabel('result.created').check()
    await page.getByLabel('result.complete').check()
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const row = page.locator('.detail tbody tr')
    await shows(row, '2 events')
    const urls = page.getByRole('combobox', { name: 'Any endpoint' }).locator('option')
    await expect.poll(() => urls.allTextContents()).toEqual(['Any endpoint', HOOK])
    await row.getByRole('button', { name: 'Pause' }).click()
    await shows(row, 'Paused')
    expect(await webhooks()).toMatchObject([{ url: HOOK, active: false }])
    expect(await focused(page)).toBe('Continue')
    await row.getByRole('button', { name: 'Continue' }).click()
    await shows(row, 'Active')

    await row.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${HOOK}/new`)
    await dialog.getByLabel('result.created').uncheck()
    await dialog.getByRole('button', { name: 'Change' }).click()
    await shows(row, `${HOOK}/new`)
    await shows(row, '1 event')
    expect(await focused(page)).toBe('Change')

    await row.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await shows(page.locator('.detail'), 'No webhooks yet')
    expect(await webhooks()).toEqual([])
  })

  it('the console edits and sends a request again, and compares it with the first', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    await orderOverApi(fake)
    const page = await openConsole(browser, fake, '#/requests/1', { expected: /status of 400/ })
    await page.getByRole('button', { name: 'Edit and send again' }).click()
    const dialog = page.getByRole('dialog')
    const headers = dialog.getByRole('textbox', { name: 'Headers' })
    const sent = await headers.inputValue()
    await headers.fill('{')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await shows(dialog.getByRole('status'), 'the headers must be a JSON object')
    await headers.fill(sent)
    const body = dialog.getByRole('textbox', { name: 'Body' })
    await body.fill((await body.inputValue()).replace('"Ada"', '"Grace"'))
    await dialog.getByRole('button', { name: 'Send' }).click()
    await shows(page.locator('.detail pre'), '"firstName": "Grace"')
    expect(fake.referrals.all().map(({ person }) => person.firstName)).toEqual(['Ada', 'Grace'])
    expect(fake.requests.at(-1)?.headers['authorization']).toBe('Bearer [redacted]')

    await page.getByRole('button', { name: 'Compare' }).click()
    await dialog.getByRole('spinbutton', { name: 'Other' }).fill('1')
    await dialog.getByRole('button', { name: 'Compare' }).click()
    const differing = page.getByRole('region', { name: 'Request body' }).locator('tbody tr')
    await shows(differing, 'firstNameGraceAda')
    expect(await differing.count()).toBe(1)
    await page.goBack()
    await shows(page.locator('.detail h2'), 'POST /v1/referrals')
  })

  it('the console links a waiting delivery to the one that blocks it, and sends an event again with edited data', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    fake.webhooks.createInPortal({ url: HOOK })
    fake.deliverTo(HOOK, () => new Response('busy', { status: 503 }))
    const uuid = await orderOverApi(fake)
    fake.referrals.partialResults(uuid)
    await fake.settled()
    const page = await openConsole(browser, fake, '#/deliveries')
    const waiting = page.locator('.rows li').filter({ hasText: 'referral.partial_results' })
    await waiting.getByRole('link', { name: 'Waiting for 1' }).click()
    await shows(page.locator('.detail h2'), 'referral.created')
    expect(await page.title()).toBe('Deliveries 1 · Pathology fake')

    await page.getByRole('button', { name: 'Edit and send again' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Data' }).fill('{"note":"edited"}')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await shows(page.locator('.rows li').first(), 'referral.created')
    await page.locator('.rows a').first().click()
    await shows(page.locator('.detail pre').first(), '"data":{"note":"edited"}')
    await page.getByRole('combobox', { name: 'Any event' }).selectOption('result.created')
    await shows(page.locator('.range'), '1–1 of 1')
  })

  it('the console finds a view, a record and an action by the keyboard alone', async () => {
    const fake = await startFake({ centreCount: 30, seedReferrals: 40 })
    const [referral] = fake.referrals.all()
    const page = await openConsole(browser, fake, '')
    const find = async (text: string, option: string) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(text)
      await shows(page.locator('[role=option][aria-selected=true]'), option)
      await page.keyboard.press('Enter')
    }
    await find('settings', 'Settings')
    await page.locator('body[data-view=settings]').waitFor()
    await find(String(referral?.uuid), `${referral?.person.firstName} ${referral?.person.lastName}`)
    await shows(page.locator('.detail'), String(referral?.uuid))
    await find('close account', 'Tokens close account')
    await shows(page.locator('#notes'), 'Tokens close account: done')
    await find('send a request', 'Send a request')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Path' }).fill('/v1/vendors')
    await page.keyboard.press('Enter')
    await shows(page.locator('.detail h2'), 'GET /v1/vendors')
    await find('quota', 'Quota')
    await page.getByRole('dialog').getByLabel('Limit').fill('7')
    await page.getByRole('dialog').getByLabel('Period in milliseconds').fill('1000')
    await page.keyboard.press('Enter')
    await shows(page.locator('#notes'), 'Quota: done')
    await page.keyboard.press('n')
    await shows(page.locator('.detail h2'), 'Place an order')
  })

  it('the console fills an order with sample data', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const page = await openConsole(browser, fake, '#/referrals/new')
    await page.getByRole('button', { name: 'Fill in sample data' }).click()
    await expect.poll(() => page.getByLabel('First name').inputValue()).not.toBe('')
    const name = await page.getByLabel('First name').inputValue()
    const chips = page.locator('.chip')
    expect(await chips.count()).toBe(3)
    await chips.first().click()
    expect(await chips.count()).toBe(2)
    await page.getByRole('button', { name: 'Place the order' }).click()
    await shows(page.locator('.detail h2'), name)
    expect(fake.referrals.all()).toMatchObject([
      { person: { firstName: name }, tests: [expect.any(String), expect.any(String)] },
    ])
  })

  it('the console keeps the focus where it was after an action, also when its button goes', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const uuid = await orderOverApi(fake)
    const page = await openConsole(browser, fake, `#/referrals/${uuid}`)
    await page.getByRole('button', { name: 'Partial results', exact: true }).press('Enter')
    await shows(page.locator('.detail h2'), 'Partial results')
    expect(await focused(page)).toBe('Partial results')
    await page.getByRole('button', { name: 'Complete', exact: true }).press('Enter')
    await shows(page.getByRole('toolbar'), 'No further actions.')
    expect(await page.evaluate("document.activeElement.closest('article') !== null")).toBe(true)
  })

  it('the console moves the focus to the page that a key, the palette or a link opens', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const { resultsUuid = '' } = fake.referrals.complete(await orderOverApi(fake))
    const page = await openConsole(browser, fake)
    const tabbed = async () => {
      await page.keyboard.press('Tab')
      return page.evaluate('document.activeElement.id || document.activeElement.textContent')
    }
    await page.keyboard.press('n')
    const name = page.getByLabel('First name')
    await name.waitFor()
    expect(await tabbed()).toBe(await name.getAttribute('id'))
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Ada Byron')
    await shows(page.locator('[role=option][aria-selected=true]'), 'Ada Byron')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Result', exact: true }).press('Enter')
    await shows(page.locator('.detail h2 ~ button'), String(resultsUuid))
    expect(await tabbed()).toBe(resultsUuid)
  })

  it('the link of the console to its content lies above the page', async () => {
    const page = await openConsole(browser, await startFake({ centreCount: 0, seedReferrals: 0 }))
    const before = await page.getByRole('navigation', { name: 'Views' }).boundingBox()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    expect(await page.getByRole('navigation', { name: 'Views' }).boundingBox()).toEqual(before)
  })

  it('each option in the console has a description, and its name stays on one line', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const page = await openConsole(browser, fake, '#/settings', { viewport: { width: 390, height: 800 } })
    const options = page.getByRole('region', { name: 'Options' }).locator('tr td:first-child')
    await options.first().waitFor()
    const texts = await options.locator('.muted').allTextContents()
    expect(texts.length).toBeGreaterThan(40)
    expect(texts.filter((text) => text.length < 10)).toEqual([])
    const lines = await options
      .locator('b')
      .evaluateAll((names) => names.map((name) => name.getClientRects().length))
    expect(new Set(lines)).toEqual(new Set([1]))
  })
})
