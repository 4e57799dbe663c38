import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as esbuild } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serveSite } from '../docs/site.js'
import { chromiumPath, startChromium } from '../tools/chromium.js'
import { ROOT } from './consumer.js'

describe('entries for browsers', { timeout: 60_000 }, () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'browsers-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(['forms', 'display'])(
    'esbuild bundles pathology-sdk/%s for browsers, without a module of Node',
    async (entry) => {
      const { metafile } = await esbuild({
        stdin: { contents: `export * from './dist/${entry}.js'`, resolveDir: ROOT },
        platform: 'browser',
        bundle: true,
        format: 'esm',
        write: false,
        metafile: true,
        logLevel: 'silent',
      })
      const packages = Object.keys(metafile.inputs).flatMap(
        (path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? [],
      )
      expect([...new Set(packages)]).toEqual(entry === 'forms' ? ['zod'] : [])
    },
  )

  it.skipIf(chromiumPath === undefined)(
    'a form built with Vite shows each problem beside its field',
    async () => {
      const { build } = await import(
        pathToFileURL(join(ROOT, 'test/tools/node_modules/vite/dist/node/index.js')).href
      )
      await build({
        configFile: false,
        root: join(ROOT, 'examples/order-form'),
        resolve: { alias: { 'pathology-sdk/forms': join(ROOT, 'dist/forms.js') } },
        build: { outDir: join(folder, 'form'), emptyOutDir: true },
        logLevel: 'error',
      })
      const browser = await startChromium(chromiumPath ?? '')
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      const errors: Error[] = []
      page.on('pageerror', (error) => errors.push(error))
      const { url, close } = await serveSite(join(folder, 'form'))
      onTestFinished(close)
      await page.goto(`${url}/`)

      await page.getByRole('button', { name: 'Order' }).click()
      expect(await page.locator('label:has([name="address.city"]) output').textContent()).toBe(
        'Enter a suburb',
      )
      expect(await page.locator('fieldset output').textContent()).toBe('Choose at least one test or a bundle')

      const values = {
        ...{ firstName: 'Alex', lastName: 'Example', email: 'alex@example.com', phone: '0400 000 000' },
        ...{ dob: '1986-04-23', 'address.addressLine1': '1 Example Street', 'address.city': 'Fremantle' },
        ...{ 'address.state': 'WA', 'address.postCode': '6160' },
      }
      for (const [name, value] of Object.entries(values)) await page.locator(`[name="${name}"]`).fill(value)
      await page.locator('[name=gender]').selectOption('female')
      await page.getByLabel('Iron studies').check()
      await page.getByRole('button', { name: 'Order' }).click()
      expect(await page.locator('output').allTextContents()).toEqual([])
      expect(await page.title()).toBe('Ready to send')
      expect(errors).toEqual([])
    },
  )
})
