import type { Command } from 'commander'
import { reportText } from '../../contract/report-text.js'
import type { Result } from '../../contract/types.js'
import { type CommandTools, withEnvironment, withExample, withObject, withRows } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { type Filters, newestRecords, type ReadFilters, readFilters } from '../shared/list.js'
import { type Column, type RowOptions, writeObject, writeRows } from '../shared/output.js'
import { savePdf, withFilters, withPdf } from '../shared/records.js'
import { OperationError, type Terminal } from '../shared/terminal.js'

const COLUMNS: readonly Column<Result>[] = [
  ...['uuid', 'status', 'provenance', 'referenceNumber', 'reference', 'referralUuid'],
  ...['resultDate', 'createdAt', 'biomarkerSummary.abnormal', 'biomarkerSummary.total'],
]

/** Statuses of results that the organisation has not released. */
const NOT_RELEASED = new Set(['CREATED', 'IN_REVIEW'])

const UUID = '7d1f6a52-6f0b-4b7e-8f57-0c6a5d1e2b90'

type ListOptions = RowOptions & EnvironmentOptions & Filters

/** Adds `results list|get|pdf|text`. */
export function define(group: Command, { terminal, action }: CommandTools): void {
  withExample(
    withFilters(
      withRows(withEnvironment(group.command('list').description('list results, newest first'))),
    ).option('--released <day>', 'released on a day: today, yesterday or a date; the day of resultDate'),
    'npx pathology results list --released yesterday --tz Australia/Sydney --json',
    'npx pathology results list --status COMPLETE --since 7d',
  ).action(action((options: ListOptions) => list(terminal, options)))

  withExample(
    withObject(withEnvironment(group.command('get <uuid>').description('show one result'))),
    `npx pathology results get ${UUID} --json`,
  ).action(
    action(async (uuid: string, options: RowOptions & EnvironmentOptions) => {
      writeObject(terminal, options, await retrieve(terminal, uuid, options))
      return undefined
    }),
  )

  withExample(
    withPdf(withEnvironment(group.command('pdf <uuid>').description("save a result's PDF"))),
    `npx pathology results pdf ${UUID} --out result.pdf`,
  ).action(action(savePdf(terminal, (client, uuid, signal) => client.results.document(uuid, { signal }))))

  withExample(
    withEnvironment(group.command('text <uuid>').description("print the laboratories' report text")),
    `npx pathology results text ${UUID}`,
  ).action(
    action(async (uuid: string, options: EnvironmentOptions) => {
      const text = reportText(await retrieve(terminal, uuid, options))
      if (text === '') throw new OperationError('the result has no report text')
      terminal.stdout.write(`${text}\n`)
      return undefined
    }),
  )
}

function retrieve(terminal: Terminal, uuid: string, options: EnvironmentOptions): Promise<Result> {
  const { signal } = terminal
  return withClient(terminal, options, (client) => client.results.retrieve(uuid, { signal }))
}

async function list(terminal: Terminal, options: ListOptions): Promise<undefined> {
  const filters = readFilters(terminal, options)
  await withClient(terminal, options, (client) => {
    const pages = client.results
      .list({ sort: 'desc', skipDuplicates: true }, { signal: terminal.signal })
      .pages()
    return writeRows(terminal, options, COLUMNS, newestRecords(pages, filters, isReleasedIn(filters)))
  })
}

/** The service does not name the time of a release: `resultDate` is the nearest one. */
function isReleasedIn({ released }: ReadFilters): (result: Result) => boolean {
  if (released === undefined) return () => true
  return ({ status, resultDate, createdAt }) => {
    const time = Date.parse(resultDate ?? createdAt)
    return !NOT_RELEASED.has(status) && time >= released.from && time < released.until
  }
}
