import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Browser, chromiumPath, type Page, startChromium } from '../tools/chromium.js'
import { isSiteBuilt, serveSite } from './site.js'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Problems that axe-core finds on the page, one a line, with some of the elements that have them. */
const problems = (
  options: string,
) => `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) =>
  id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' | ')).join('\\n'))`

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }

const REFERENCE = '/reference/pathology-sdk'
/** Pages with long names, long types, wide tables or wide code. */
const PAGES_THAT_ARE_HARD_TO_FIT = [
  '/',
  '/guides/ordering.html',
  '/guides/webhooks.html',
  '/service-rules.html',
  '/reference/',
  '/reference/project/contributing.html',
  '/reference/examples/demo.html',
  '/reference/http/referrals.html',
  `${REFERENCE}/interfaces/Referrals.html`,
  `${REFERENCE}/interfaces/Referral.html`,
  `${REFERENCE}/classes/OrderOutcomeUnknownError.html`,
  `${REFERENCE}/forms/functions/normaliseMedicareCardNumber.html`,
  `${REFERENCE}/variables/ORDER_KEY_FIELD.html`,
  `${REFERENCE}/webhooks/type-aliases/WebhookVerificationReason.html`,
]

/** Code blocks with text that is neither visible nor reachable by a visible scroll bar. */
const CUT_CODE = `[...document.querySelectorAll('.vp-doc [class*="language-"] pre')]
  .filter((pre) => pre.scrollWidth > pre.clientWidth + 1).map((pre) => pre.textContent.slice(0, 80))`

describe.skipIf(!isSiteBuilt() || chromiumPath === undefined)(
  'the site that npm run docs built, in a browser',
  () => {
    let browser: Browser
    let page: Page
    let site: Awaited<ReturnType<typeof serveSite>>
    const foreign: string[] = []
    const missing: string[] = []
    const descriptions: string[] = []

    beforeAll(async () => {
      site = await serveSite()
      browser = await startChromium(chromiumPath ?? '')
      page = await browser.newPage({ viewport: PHONE })
      page.on('request', (request) => {
        if (!request.url().startsWith(site.url) && !request.url().startsWith('data:'))
          foreign.push(request.url())
      })
      page.on('response', (response) => {
        if (response.status() !== 200) missing.push(response.url())
      })
    })
    afterAll(async () => {
      await browser.close()
      site.close()
    })

    const open = async (path: string): Promise<void> => {
      await page.goto(site.url + path, { waitUntil: 'load' })
      // The page reacts to clicks from now on.
      await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined')
    }

    it.each(PAGES_THAT_ARE_HARD_TO_FIT)(
      'the page %s fits a phone and a desktop, and shows code completely',
      async (path) => {
        await open(path)
        for (const viewport of [PHONE, DESKTOP]) {
          await page.setViewportSize(viewport)
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
          expect(await page.evaluate(CUT_CODE)).toEqual([])
        }
        expect(await page.locator('h1').count()).toBe(1)
        const description = await page.locator('meta[name=description]').getAttribute('content')
        expect(description).toMatch(/^\S.{5,160}$/)
        expect(descriptions).not.toContain(description)
        descriptions.push(description ?? '')
      },
    )

    it('a page of the site loads nothing from the network, and no file is missing', () => {
      expect(foreign).toEqual([])
      expect(missing).toEqual([])
    })

    it('checklists of the site have check boxes, not brackets', async () => {
      await open('/guides/production-checklist.html')
      const items = await page.locator('.vp-doc li').allInnerTexts()
      expect(items.length).toBeGreaterThan(20)
      for (const item of items) expect(item.trimStart().startsWith('☐ ')).toBe(true)
    })

    it('a guide has links to the next and to the previous one', async () => {
      await open('/guides/ordering.html')
      expect(await page.locator('.pager-link').allInnerTexts()).toHaveLength(2)
    })

    it('a method of the API in short has a link to its parameters, result and errors', async () => {
      await open('/reference/')
      await page.click('text=client.referrals.create(')
      await page.waitForSelector('h1 >> text=client.referrals')
      expect(page.url()).toMatch(/Referrals\.html#create$/)
      const text = await page.locator('.vp-doc').innerText()
      for (const heading of ['Parameters', 'Returns', 'Errors']) expect(text).toContain(heading)
    })

    it('an operation of the HTTP interface is in the side bar, with curl and its response', async () => {
      await page.setViewportSize(DESKTOP)
      await open('/reference/http/webhooks.html')
      await open('/reference/http/referrals.html#referrals-create')
      expect(await page.locator('.VPSidebar a >> text=Order tests for a patient').count()).toBe(1)
      const top = 'document.getElementById("referrals-create").getBoundingClientRect().top'
      await expect.poll(() => page.evaluate<number>(top)).toBeGreaterThan(60)
      await page.locator('.vp-code-group label >> text=cURL').nth(1).click()
      expect(await page.locator('.vp-code-group .active').nth(1).innerText()).toContain(
        'Authorization: Bearer $TOKEN',
      )
    })

    it.each([
      ['lost', 'ordering.html#if-the-response-is-lost'],
      ['duplicate order', 'ordering.html#a-job-that-may-run-twice'],
      ['double billing', 'ordering.html#a-job-that-may-run-twice'],
      ['idempotency', 'ordering.html#a-job-that-may-run-twice'],
      ['raw body', 'webhooks.html#receive-deliveries'],
      ['rotate secret', 'webhooks.html#verify-a-delivery'],
      ['ngrok', 'webhooks.html#deliver-to-your-machine'],
      ['next.js', 'webhooks.html#nextjs-route-handler'],
      ['nestjs', 'webhooks.html#nestjs'],
      ['cloudflare workers', 'webhooks.html#hono-bun-deno-workers'],
      ['lambda', 'webhooks.html#aws-lambda'],
      ['nearest centre', 'collection-centres.html#nearest-centres'],
      ['medicare signature', 'medicare-ordering-and-routing.html#1-a-provider-record'],
      ['medicare irn', 'medicare-ordering-and-routing.html#2-an-order'],
      ['retry', 'errors-and-retries.html#retries'],
      ['429', 'errors-and-retries.html#rate-limits'],
      ['timeout', 'errors-and-retries.html#time-limits'],
      ['ECONNRESET', 'errors-and-retries.html#did-anything-change'],
      ['pdf expired', 'results-and-documents.html#pdfs'],
      ['sandbox', 'authentication.html#credentials'],
      ['playwright', 'testing-with-the-fake.html#in-your-test-runner'],
    ])('a search for "%s" finds %s first or second, with an excerpt', async (words, section) => {
      // The search box stays open from one search to the next.
      if ((await page.locator('.VPLocalSearchBox').count()) === 0) {
        await open('/')
        await page.click('.DocSearch-Button, #local-search button')
      }
      const results = page.locator('.VPLocalSearchBox .result')
      await page.fill('.VPLocalSearchBox input', '')
      await expect.poll(() => results.count()).toBe(0)
      await page.fill('.VPLocalSearchBox input', words)
      const found = () =>
        results.evaluateAll((links) => links.slice(0, 2).map((link) => link.getAttribute('href')))
      await expect.poll(found).toContain(`/guides/${section}`)
      await expect.poll(() => results.first().locator('.excerpt').innerText()).toMatch(/\w{3}/)
    })

    it('the name of an example is a link to its code', async () => {
      await open('/guides/medicare-ordering-and-routing.html')
      const link = page.locator('.vp-doc a[href="/reference/examples/medicare-routing.html"]')
      expect(await link.innerText()).toBe('examples/medicare-routing')
    })

    it('frameworks of a guide are tabs, and a link to one of them opens its tab', async () => {
      await open('/guides/webhooks.html#fastify')
      expect(await page.locator('[role=tab]').allInnerTexts()).toContain('Express')
      expect(await page.locator('[role=tabpanel]:visible h3').innerText()).toContain('Fastify')
      const top = 'document.getElementById("fastify").getBoundingClientRect().top'
      await expect.poll(() => page.evaluate<number>(top)).toBeLessThan(200)
      await page.click('[role=tab] >> text=Express')
      expect(await page.locator('[role=tabpanel]:visible h3').innerText()).toContain('Express')
    })

    it.each(['/endpoints.html', '/reliability.html'])(
      'no word of code in the tables of %s is broken',
      async (path) => {
        await page.setViewportSize(PHONE)
        await open(path)
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

    it.each([
      '/',
      '/guides/webhooks.html',
      `${REFERENCE}/interfaces/Referrals.html`,
      '/reference/http/referrals.html',
    ])('axe-core finds nothing on %s in the light and in the dark theme', async (path) => {
      await page.setViewportSize(DESKTOP)
      await open(path)
      await page.evaluate(AXE)
      expect(await page.evaluate(problems(''))).toBe('')
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.waitForFunction('document.documentElement.classList.contains("dark")')
      // The themes differ in their colours only.
      expect(await page.evaluate(problems('{ runOnly: ["color-contrast", "link-in-text-block"] }'))).toBe('')
      await page.emulateMedia({ colorScheme: 'light' })
    })

    it('the dark theme of the site follows the system', async () => {
      await page.emulateMedia({ colorScheme: 'dark' })
      await open('/guides/ordering.html')
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      expect(Math.max(...(background.match(/\d+/g) ?? []).map(Number))).toBeLessThan(60)
      await page.emulateMedia({ colorScheme: 'light' })
    })
  },
)
