import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Browser, chromiumPath, type Page, startChromium } from '../../tools/chromium.js'
import { orderOverApi, startFake } from '../support.js'
import { openConsole, shows } from './console.browser.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Problems that axe-core finds on the page, with the elements that have them. */
async function problems(page: Page): Promise<unknown> {
  await page.evaluate(AXE)
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], rules: { 'heading-order': { enabled: true } } }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))`,
  )
}

/** A fake with a record of each kind, and a delivery that waits for another one. */
async function filled(): Promise<{ fake: FakePathologyService; views: readonly string[] }> {
  const fake = await startFake({ centreCount: 40, issueTiming: { afterMs: 3_600_000 } })
  fake.webhooks.createInPortal({ url: 'http://127.0.0.1:9/hooks' })
  fake.deliverTo('http://127.0.0.1:9/hooks', () => new Response('busy', { status: 503 }))
  const uuid = await orderOverApi(fake, { tests: ['lipid-panel', 'full-blood-count'] })
  fake.referrals.issue(uuid)
  const { resultsUuid } = fake.referrals.complete(uuid)
  await orderOverApi(fake)
  fake.faults.next('GET /v1/vendors', { status: 503 })
  fake.deliveries.fault({ kind: 'lost' })
  fake.centres.weeklyRefresh({ updated: 3 })
  await fake.settled()
  const centre = fake.centres.all()[0]?.uuid
  return {
    fake,
    views: [
      ...['overview', 'referrals', 'results', 'deliveries', 'requests', 'faults', 'directory', 'settings'],
      ...['referrals/new', 'deliveries/webhooks', 'deliveries/2', 'requests/1', 'requests/1~2'],
      ...[`referrals/${uuid}`, `results/${resultsUuid}`, `directory/${centre}`],
    ],
  }
}

describe.skipIf(chromiumPath === undefined)('the console for everyone', { timeout: 120_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium(chromiumPath ?? '')
  }, 40_000)
  afterAll(() => browser.close())

  it.each([
    ['dark', 1280],
    ['light', 390],
  ] as const)('axe-core finds nothing on any view of the console: %s, %i px', async (colorScheme, width) => {
    const { fake, views } = await filled()
    const page = await openConsole(browser, fake, '', { colorScheme, viewport: { width, height: 820 } })
    for (const view of views) {
      await page.evaluate(`location.hash = '#/${view}'`)
      await page.locator(`body[data-view=${view.split('/')[0]}]`).waitFor()
      await page.locator('main article').first().waitFor({ state: 'attached' })
      expect([view, await problems(page)]).toEqual([view, []])
    }
    await page.keyboard.press('?')
    await shows(page.getByRole('dialog'), 'Keys')
    expect(await problems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('ord')
    await shows(page.getByRole('option'), 'Place an order')
    expect(await problems(page)).toEqual([])
  })
})
