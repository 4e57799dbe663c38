import { existsSync, readdirSync, readFileSync } from 'node:fs'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { chromiumPath, startChromium } from '../support/chromium.js'

const PHONE = { width: 390, height: 844 }
const MOST_PAGES_OF_A_FOLDER = 12

const root = new URL('../../', import.meta.url)
const site = new URL('docs/site/', root)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

// A site of an earlier commit says nothing about this one.
const builtNow =
  existsSync(new URL('assets/custom.css', site)) &&
  read('docs/site/assets/custom.css') === read('docs/assets/site.css')

/** The pages of a folder, those with the longest names first: they are what a narrow screen has trouble with. */
function pagesOf(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, site))
    .sort((one, other) => other.length - one.length)
    .slice(0, MOST_PAGES_OF_A_FOLDER)
    .map((file) => new URL(`${folder}/${encodeURIComponent(file)}`, site).href)
}

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

    test.each(['documents', 'classes', 'interfaces', 'modules', 'functions', 'types', 'variables'])(
      'no page of %s is wider than a phone',
      async (folder) => {
        const still = await browser.newPage({ viewport: PHONE, javaScriptEnabled: false })
        const wide: string[] = []
        for (const url of pagesOf(folder)) {
          await page.goto(url)
          const width = await page.evaluate('document.documentElement.scrollWidth')
          if (width !== PHONE.width) wide.push(`${url}: ${width}`)
        }
        await still.close()
        expect(wide).toEqual([])
      },
      30_000,
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

    test('the guides are in sight on the first visit', async () => {
      const desktop = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      await desktop.goto(new URL('index.html', site).href)
      await desktop.waitForSelector('.tsd-navigation >> text=Getting started', { state: 'visible' })
      await desktop.close()
    })
  },
)
