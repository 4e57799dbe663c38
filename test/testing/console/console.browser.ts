import type { FakePathologyService } from 'pathology-sdk/testing'
import { expect, onTestFinished } from 'vitest'

import type { Browser, BrowserContextOptions, Locator, Page } from '../../tools/chromium.js'

/** Maximum time until a change is visible, on a busy machine. */
const SEEN_MS = 10_000

/**
 * The console of a fake in a separate tab. The test fails when the page logs an error, except `expected`, or
 * sends a request to another origin.
 */
export async function openConsole(
  browser: Browser,
  fake: FakePathologyService,
  address = '',
  { expected, ...options }: BrowserContextOptions & { readonly expected?: RegExp } = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.setDefaultTimeout(SEEN_MS)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && expected?.test(text) !== true) complaints.push(text)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(String(fake.controlUrl))) complaints.push(`asked ${request.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  await page.goto(`${fake.controlUrl}/${address}`)
  await page.locator('body[data-view]').waitFor()
  return page
}

/** Waits until an element shows a text. */
export async function shows(locator: Locator, text: string | RegExp): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor()
}

/** The number of an attribute in per cent. */
export async function percent(locator: Locator, attribute: string): Promise<number> {
  return Number.parseFloat((await locator.getAttribute(attribute)) ?? '')
}
