import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as esbuild } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, startChromium } from '../tools/chromium.js'
import { ROOT } from './consumer.js'

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Serves a folder on loopback. */
async function serve(folder: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\/$/, '/index.html')
    const content = await readFile(join(folder, path)).catch(() => undefined)
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': TYPES[extname(path)] ?? 'text/plain',
    })
    response.end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

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
      await page.goto(await serve(join(folder, 'form')))

      await page.getByRole('button', { name: 'Order' }).click()
      expect(await page.locator('label:has([name="address.city"]) output').textContent()).toBe(
        'Enter a suburb',
      )
      expect(await page.locator('fieldset output').textContent()).toBe('Choose at least one test or a bundle')

      const values = {
        firstName: 'Alex',
        lastName: 'Example',
        email: 'alex@example.com',
        phone: '0400 000 000',
      }
      const rest = {
        dob: '1986-04-23',
        'address.addressLine1': '1 Example Street',
        'address.city': 'Fremantle',
      }
      const place = { 'address.state': 'WA', 'address.postCode': '6160' }
      for (const [name, value] of Object.entries({ ...values, ...rest, ...place }))
        await page.locator(`[name="${name}"]`).fill(value)
      await page.locator('[name=gender]').selectOption('female')
      await page.getByLabel('Iron studies').check()
      await page.getByRole('button', { name: 'Order' }).click()
      expect(await page.locator('output').allTextContents()).toEqual([])
      expect(await page.title()).toBe('Ready to send')
      expect(errors).toEqual([])
    },
  )
})
