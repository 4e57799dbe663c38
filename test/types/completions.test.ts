import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REFERRAL_STATUSES, RESULT_STATUSES } from 'pathology-sdk/display'
import { EVENT_NAMES } from 'pathology-sdk/webhooks'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = join(root, 'test', 'types', 'typed-by-a-user.ts')

/**
 * Positions in a user's module, marked by `|`: between the quotes, or after the dot. The editor offers
 * completions there.
 */
const PLACES: readonly (readonly [string, code: string, offered: readonly string[]])[] = [
  ['a status of a referral (§3.1)', "const a = (r: Referral) => r.status === '|'", REFERRAL_STATUSES],
  ['a status of a result (§3.2)', "const a = (r: Result) => r.status === '|'", RESULT_STATUSES],
  ['a status to wait for (§3.1)', "void client.referrals.waitFor('', { status: '|' })", REFERRAL_STATUSES],
  ['an event to subscribe to (§6)', "const a: Webhook['events'] = ['|']", EVENT_NAMES],
  [
    'a code of an error (§7)',
    "declare const e: unknown; isPathologyError(e, '|')",
    ['REFERRAL_NOT_FOUND', 'TIMEOUT', 'CONNECTION_CONNECT_TIMEOUT'],
  ],
  [
    'a code after isPathologyError (§7)',
    "declare const e: unknown; if (isPathologyError(e) && e.code === '|') throw e",
    ['REFERRAL_NOT_FOUND', 'TIMEOUT', 'CONNECTION_CONNECT_TIMEOUT'],
  ],
  ['the name of an error (§7)', "declare const e: AnyPathologyError; e.name === '|'", ['RateLimitError']],
  [
    'an event of a new webhook (§4.6)',
    "void client.webhooks.create({ url: '', events: ['|'] })",
    EVENT_NAMES,
  ],
  ['an event of a changed webhook (§4.6)', "void client.webhooks.update('', { events: ['|'] })", EVENT_NAMES],
  [
    'a route that a fault can be put in the way of',
    "fake.faults.next('|', {})",
    ['GET /v1/referrals/{uuid}', 'POST /v1/referrals', 'POST /oauth/token', 'GET /documents/{name}', '*'],
  ],
  ['resources (§4)', 'client.|', ['referrals', 'results', 'centres', 'providers', 'webhooks']],
  ['filters (§4.5)', 'client.centres.list({ | })', ['lat', 'postcodes', 'changedSince', 'north']],
]

/** Text that an editor shows for a field, marked by `|`. */
const HOVERS: readonly (readonly [code: string, told: RegExp])[] = [
  ['const a = (p: Price) => p.|grandTotal', /cents/],
  ['const a = (p: Price) => p.|grandTotalIncTax', /in cents.* with tax/],
  ['const a = (p: Price) => p.|totalWithoutMarkup', /cents.* markup/],
  ['const a = (p: Price) => p.|discounts', /does not document/],
  ['const a = (o: Order) => o.|firstName', /two characters/],
  ['const a = (o: Order) => o.|phone', /six characters/],
  ['const a = (o: Order) => o.|tests', /is required/],
  ['const a = (o: Order) => o.|dvaNumber', /Veterans/],
  ['const a = (o: Order) => o.address.|country', /code or a name/],
  ['const a = (o: Order) => o.address.|state', /such as `WA`/],
  ["void client.webhooks.create({ url: '', |events: [] })", /at least one/],
  ['const a = (r: Referral) => r.|dvaNumber', /Veterans/],
]

const HEAD = `import { type AnyPathologyError, isPathologyError, type Order, type PathologyClient, type Price, type Referral, type Result, type Webhook } from 'pathology-sdk'
import type { FakePathologyService } from 'pathology-sdk/testing'
declare const client: PathologyClient
declare const fake: FakePathologyService
`

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
const { readFile, fileExists, directoryExists, getDirectories } = ts.sys
const typed = { text: '', version: 0 }

/** The language service that editors use, over one module. */
const service = ts.createLanguageService({
  readFile,
  fileExists,
  directoryExists,
  getDirectories,
  getCompilationSettings: () => options,
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getScriptFileNames: () => [file],
  getScriptVersion: (path) => (path === file ? String(typed.version) : '1'),
  getScriptSnapshot: (path) => {
    const content = path === file ? typed.text : readFile(path)
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
  },
})

it.each(HOVERS)('an editor describes %s', { timeout: 60_000 }, (code, told) => {
  const text = HEAD + code
  typed.text = text.replace('|', '')
  typed.version += 1
  const { documentation = [] } = service.getQuickInfoAtPosition(file, text.indexOf('|')) ?? {}
  expect(documentation.map((part) => part.text).join('')).toMatch(told)
})

it.each(PLACES)('an editor offers the known values of %s', { timeout: 60_000 }, (_place, code, offered) => {
  const text = HEAD + code
  typed.text = text.replace('|', '')
  typed.version += 1
  const completions = service.getCompletionsAtPosition(file, text.indexOf('|'), {})
  expect(completions?.entries.map(({ name }) => name)).toEqual(expect.arrayContaining([...offered]))
})
