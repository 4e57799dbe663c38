import { isLoopbackHost } from '../../testing/transports/allowed-hosts.js'
import { type DifferenceGroup, groupsOf } from '../contract-check/groups.js'
import type { ContractReport, Difference } from '../contract-check/report.js'
import type { CommandRow } from '../shared/command.js'
import { clientOptions, type EnvironmentOptions, readEnvironment } from '../shared/environment.js'
import { readLimit } from '../shared/list.js'
import {
  type Column,
  formatOf,
  type RowLayout,
  type RowOptions,
  writeJson,
  writeRows,
} from '../shared/output.js'
import { EXIT, type ExitCode, type Terminal, UsageError } from '../shared/terminal.js'
import { parseDuration } from '../shared/times.js'

const ENDPOINT: Column<DifferenceGroup> = ['endpoint', ({ endpoints }) => endpoints]
const CASES: Column<DifferenceGroup> = ['case', ({ cases }) => cases.join(', ')]
const SHORT: Column<DifferenceGroup> = [
  'endpoint',
  ({ endpoints: [first, ...others] }) => (others.length === 0 ? first : `${first} +${others.length}`),
]
const LAYOUT: RowLayout<DifferenceGroup> = {
  columns: ['level', ENDPOINT, CASES, 'path', 'expected', 'seen', 'times'],
  table: ['level', SHORT, 'path', 'expected', 'seen', 'times', CASES],
  whole: 3,
  continues: true,
}

interface ContractOptions extends RowOptions, EnvironmentOptions {
  readonly production?: boolean
  readonly write?: boolean
  readonly writeWebhooks?: boolean
  readonly maxPages: string
  readonly pdfTimeout: string
}

export const commands: readonly CommandRow[] = [
  {
    name: 'check',
    summary:
      'compare the responses of the service with the interface that this package expects. The report contains types, statuses and codes, but no personal data',
    prints: {
      json: 'print the report as JSON with every single difference, to attach it to an issue',
      csv: 'print the differences as CSV, in groups',
      table: 'print the differences as a table, in groups; the default in a terminal',
    },
    options: [
      ['--production', 'check a production environment, with requests that only read'],
      ['--write', 'also place, update and delete orders, and generate results, in staging'],
      [
        '--write-webhooks',
        'also create, change and delete a webhook in staging; the owners and webhook managers get emails',
      ],
      ['--max-pages <number>', 'maximum number of pages of each list', '10'],
      ['--pdf-timeout <duration>', "maximum wait for a referral's PDF with --write", '60s'],
    ],
    examples: ['contract check --json > contract-report.json', 'contract check --write'],
    run: check,
  },
]

async function check(terminal: Terminal, options: ContractOptions): Promise<ExitCode> {
  const {
    baseUrl = '',
    authUrl = '',
    clientId = '',
    clientSecret = '',
  } = clientOptions(readEnvironment(terminal, options))
  const isProduction = options.production === true
  const [write, writeWebhooks] = [options.write === true, options.writeWebhooks === true]
  checkEnvironment(baseUrl, isProduction, write || writeWebhooks)
  const maxPages = readLimit('--max-pages', options.maxPages)
  const pdfTimeoutMs = parseDuration('--pdf-timeout', options.pdfTimeout)
  await checkOptions(baseUrl, authUrl, clientId, clientSecret)
  const { checkContract } = await import('../contract-check/run.js')
  const report = await checkContract({
    baseUrl,
    authUrl,
    clientId,
    clientSecret,
    write,
    writeWebhooks,
    maxPages,
    pdfTimeoutMs,
    environment: isProduction ? 'production' : 'staging',
    signal: terminal.signal,
    now: terminal.now,
    onStep: (step) => terminal.stderr.write(`checking ${step}\n`),
    onWarning: (text) => terminal.stderr.write(`${text}\n`),
  })
  await writeReport(terminal, options, report)
  return report.differences.some(({ level }) => level === 'contract') ? EXIT.findings : EXIT.ok
}

/** Checks the URLs and credentials by creating a client. Sends nothing. */
async function checkOptions(
  baseUrl: string,
  authUrl: string,
  clientId: string,
  clientSecret: string,
): Promise<void> {
  const { PathologyClient } = await import('../../client/index.js')
  await new PathologyClient({ baseUrl, authUrl, clientId, clientSecret }).close()
}

/**
 * Labels of host names, and segments of paths, of environments that are not production. `test` must be the entire
 * label, because production hosts of laboratories can have names such as `test-results`.
 */
const STAGING = /^test(?:ing)?\d*$|(?:^|[-_])(?:staging|stage|stg|sandbox|uat|dev)\d*(?:[-_]|$)/i

function isStaging(baseUrl: string): boolean {
  const { hostname, pathname } = new URL(baseUrl)
  // `dev` is also a top-level domain.
  const labels = hostname.replace(/\.dev$/i, '').split('.')
  return isLoopbackHost(hostname) || [...labels, ...pathname.split('/')].some((part) => STAGING.test(part))
}

function checkEnvironment(baseUrl: string, isProduction: boolean, writes: boolean): void {
  if (isProduction && writes)
    throw new UsageError('--write and --write-webhooks are not allowed with --production; nothing was sent')
  if (!isProduction && !(URL.canParse(baseUrl) && isStaging(baseUrl)))
    throw new UsageError(
      'the base URL does not name a staging environment; nothing was sent. Correct the base URL, or pass --production to send only requests that read',
    )
}

async function writeReport(
  terminal: Terminal,
  options: ContractOptions,
  report: ContractReport,
): Promise<void> {
  if (options.json === true) return writeJson(terminal, report)
  const { differences, notChecked } = report
  const isTable = formatOf(terminal, options) === 'table'
  if (differences.length > 0 || !isTable) await writeRows(terminal, options, LAYOUT, groupsOf(differences))
  const count = (level: Difference['level']): number =>
    differences.filter((each) => each.level === level).length
  const requests = Object.values(report.checked).reduce((sum, each) => sum + each.requests, 0)
  const lines = [
    `${requests} requests: ${count('contract')} differences from the contract, ${count('reading')} where the` +
      ` interface is ambiguous and the service differs from this package's reading, ${count('addition')} additions`,
    ...[...new Set(notChecked.map(({ reason }) => reason))].map((reason) => {
      const endpoints = notChecked.filter((each) => each.reason === reason).map(({ endpoint }) => endpoint)
      return `not checked (${reason}): ${endpoints.join(', ')}`
    }),
  ]
  const output = isTable ? terminal.stdout : terminal.stderr // CSV has no place for a summary
  output.write(`${lines.join('\n')}\n`)
}
