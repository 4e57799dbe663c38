import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { createMirror, type MirrorOptions } from 'pathology-sdk/mirror'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startService } from '../../../src/cli/mirror-service/serve.js'
import { freshSchema, sharedPGlite } from '../../support/pglite.js'
import { orderOverApi, startFake } from '../../testing/support.js'
import { chromiumPath, startChromium } from '../../tools/chromium.js'

/** A mirror with its copy, its service and a browser; all closed when the test ends. */
async function startMirror(options: ClientOptions, sweep: MirrorOptions['sweep']) {
  const fake = await startFake({ seedReferrals: 3, centreCount: 20 })
  const client = new PathologyClient({ ...fake.clientOptions(), ...options })
  const mirror = createMirror({
    ...{ client, secret: fake.signingSecret, database: await sharedPGlite(), schema: freshSchema() },
    ...{ poll: 50, sweep },
  })
  const service = await startService(mirror, { host: '127.0.0.1', port: 0, webhooks: new Map() })
  const browser = await startChromium(chromiumPath ?? '')
  onTestFinished(async () => {
    await browser.close()
    await service.close()
    await mirror.stop()
    await client.close()
  })
  await mirror.start()
  await mirror.backfill()
  return { fake, mirror, service, browser }
}

describe.skipIf(chromiumPath === undefined)('the status page of the mirror, in a browser', () => {
  it('the status page of the mirror shows numbers, sweeps and changes on a desktop and a phone, and updates with the copy', async () => {
    const { fake, mirror, service, browser } = await startMirror({}, {})
    for (const width of [390, 1440]) {
      const page = await browser.newPage({ viewport: { width, height: 844 } })
      const problems: string[] = []
      page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
      page.on('pageerror', (error) => void problems.push(error.message))
      await page.goto(service.url)
      await page.getByText('No failed or late work').waitFor()
      expect(await page.locator('#referrals').textContent()).toBe(String(fake.referrals.all().length))
      expect(await page.locator('#sweeps').textContent()).toContain('backfill')
      expect(await page.locator('#changes tr').count()).toBeGreaterThan(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)

      await orderOverApi(fake)
      await fake.clock.advance({ seconds: 1 })
      await mirror.sweep('recent')
      const count = String(fake.referrals.all().length)
      await page.locator('#referrals', { hasText: new RegExp(`^${count}$`) }).waitFor()
      expect(await page.locator('#recovered').getAttribute('class')).toBe('bad')
      expect(problems).toEqual([])
      await page.close()
    }
  })

  it('the status page of the mirror says in one word that there is an outage, then what is wrong and what to do, and cuts nothing on a phone', async () => {
    let isDown = false
    const cut: ClientOptions['fetch'] = (input, init) =>
      isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)
    const { mirror, service, browser } = await startMirror({ fetch: cut }, { centres: false })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    isDown = true
    void mirror.sweep('recent').catch(() => undefined)
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [390, 1280]) {
        const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme })
        await page.goto(service.url)
        await page.locator('#word', { hasText: 'outage' }).waitFor()
        const text = await page.locator('#problems li').first().textContent()
        expect(text).toMatch(
          /cannot be reached for default since \d{4}-\d\d-\d\dT[\d:]+(Z|[+-]\d\d:\d\d) \(ConnectionError/,
        )
        expect(text).toContain('npx pathology doctor')
        await page.locator('#retries', { hasText: 'recent' }).waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        const narrow = `[...document.querySelectorAll('td, p, li, dd')].filter((e) => e.scrollWidth > e.clientWidth + 1).length`
        expect(await page.evaluate(narrow)).toBe(0)
        const folder = process.env['PATHOLOGY_SCREENSHOTS']
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/outage-${colorScheme}-${width}.png`, fullPage: true })
        await page.close()
      }
    }
    const served = await (await fetch(`${service.url}/status.json`)).json()
    expect(served).toMatchObject({ state: 'outage', service: [{ state: 'unreachable' }] })
    expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ready', state: 'outage' })
    isDown = false
  })
})
