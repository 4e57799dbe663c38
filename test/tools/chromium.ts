import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { Browser } from 'playwright-core'

export type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Path of this machine's browser; `undefined` when it has none. */
export const chromiumPath = PLACES.find((path) => existsSync(path))

/** Starts a browser without a window that makes no request of its own. */
export function startChromium(executablePath: string): Promise<Browser> {
  // Loaded here, so that tests can be skipped where neither a browser nor the tools are installed.
  const { chromium }: typeof import('playwright-core') = createRequire(import.meta.url)('playwright-core')
  return chromium.launch({ executablePath, args: ARGUMENTS })
}
