import { existsSync, readFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Browser, chromiumPath, type Page, startChromium } from '../tools/chromium.js'

const PHONE = { width: 390, height: 844 }
/** Pages with long names, long types, wide tables or wide code. */
const PAGES_THAT_ARE_HARD_TO_FIT = [
  'index.html',
  'documents/API_in_short.html',
  'documents/Contributing.html',
  'documents/Runtimes.html',
  'documents/Ordering.html',
  'classes/pathology-sdk.OrderOutcomeUnknownError.html',
  'interfaces/pathology-sdk.DocumentPromise.html',
  'modules/pathology-sdk_webhooks.html',
  'functions/pathology-sdk.normaliseMedicareCardNumber.html',
  'types/pathology-sdk_webhooks.WebhookVerificationReason.html',
  'variables/pathology-sdk.ERROR_CODES.html',
  'variables/pathology-sdk.UPDATABLE_REFERRAL_STATUSES.html',
]

const root = new URL('../../', import.meta.url)
const site = new URL('docs/site/', root)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

// A site of an earlier commit says nothing about this one.
const builtNow =
  existsSync(new URL('assets/custom.css', site)) &&
  read('docs/site/assets/custom.css') === read('docs/assets/site.css')

describe.skipIf(!builtNow || chromiumPath === undefined)(
  'the site that npm run docs built, in a browser',
  () => {
    let browser: Browser
    let page: Page

    beforeAll(async () => {
      browser = await startChromium(chromiumPath ?? '')
      page = await browser.newPage({ viewport: PHONE })
    })
    afterAll(() => browser.close())

    test.each(PAGES_THAT_ARE_HARD_TO_FIT)('%s is no wider than a phone', async (path) => {
      await page.goto(new URL(path, site).href)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    })

    test('boxes to tick are boxes, not brackets', async () => {
      await page.goto(new URL('documents/Production_checklist.html', site).href)
      const items = await page.locator('.tsd-typography li').allInnerTexts()
      expect(items.length).toBeGreaterThan(20)
      for (const item of items) expect(item.trimStart().startsWith('☐ ')).toBe(true)
    })

    test.each(['Endpoints', 'Reliability'])(
      'no word of a code in the tables of %s is broken',
      async (title) => {
        await page.goto(new URL(`documents/${title}.html`, site).href)
        const broken = await page.evaluate<[number, string[]]>(`(() => {
        const words = [...document.querySelectorAll('td code')].flatMap((code) =>
          [...code.textContent.matchAll(/\\w+/g)].map(({ 0: word, index }) => {
            const range = document.createRange()
            range.setStart(code.firstChild, index)
            range.setEnd(code.firstChild, index + word.length)
            return { word, lines: new Set([...range.getClientRects()].map(({ top }) => top)).size }
          }),
        )
        return [words.length, words.filter(({ lines }) => lines > 1).map(({ word }) => word)]
      })()`)
        expect(broken).toEqual([expect.any(Number), []])
        expect(broken[0]).toBeGreaterThan(30)
      },
    )

    test.each([
      ['nearest centre', 'Collection centres'],
      ['medicare signature', 'Medicare ordering and routing'],
      ['retry', 'Errors and retries'],
      ['lambda', 'Webhooks'],
    ])('a search for %s shows the guide "%s"', async (words, guide) => {
      await page.goto(new URL('index.html', site).href)
      await page.click('#tsd-search-trigger')
      await page.fill('#tsd-search-input', words)
      await page.waitForSelector('#tsd-search-results li')
      expect(await page.locator('#tsd-search-results li').allTextContents()).toContain(guide)
    })

    test('a method of the API in short leads to its source, shown as text', async () => {
      await page.goto(new URL('documents/API_in_short.html', site).href)
      await page.click('text=client.referrals.create(')
      await page.waitForSelector('pre')
      expect(await page.textContent('pre')).toContain('create(order: Order')
      expect(await page.evaluate('document.characterSet')).toBe('UTF-8')
    })

    test('the guides are in sight on the first visit', async () => {
      const desktop = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      await desktop.goto(new URL('index.html', site).href)
      await desktop.waitForSelector('.tsd-navigation >> text=Getting started', { state: 'visible' })
      await desktop.close()
    })
  },
)
