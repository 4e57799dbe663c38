import type { Command } from 'commander'
import { RESULT_STATUSES } from '../../contract/enums.js'
import { parseTime } from '../../contract/times.js'
import type { Biomarker, Result } from '../../contract/types.js'
import { flagOf, formatRange } from '../../display/display-text.js'
import { reportText } from '../../display/report-text.js'
import { resultBundle } from '../../fhir/index.js'
import { type CommandTools, withEnvironment, withExample, withObject, withRows } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { type FhirOptions, fhirBase, withFhir } from '../shared/fhir.js'
import {
  type FilterOptions,
  type ResolvedFilters,
  rangeOf,
  resolveFilters,
  selectedRecords,
} from '../shared/list.js'
import {
  type Column,
  type RowLayout,
  type RowOptions,
  writeJson,
  writeObject,
  writeRows,
} from '../shared/output.js'
import { savePdf, withFilters, withPdf } from '../shared/records.js'
import { OperationError, type Terminal } from '../shared/terminal.js'

const LAYOUT: RowLayout<Result> = {
  columns: [
    'uuid',
    'status',
    'provenance',
    'referenceNumber',
    'reference',
    'referralUuid',
    'resultDate',
    'createdAt',
    'biomarkerSummary.abnormal',
    'biomarkerSummary.total',
  ],
  table: [
    'uuid',
    'status',
    'referenceNumber',
    'resultDate',
    ['abnormal', ({ biomarkerSummary }) => biomarkerSummary?.abnormal],
    ['of', ({ biomarkerSummary }) => biomarkerSummary?.total],
  ],
  empty: 'No results match.',
}

const BIOMARKERS: readonly Column<object>[] = [
  'name',
  'formattedValue',
  ['range', (biomarker) => formatRange(biomarker as Biomarker)],
  ['flag', (biomarker) => flagOf(biomarker as Biomarker)],
]

/** Statuses of results that are not released yet. */
const NOT_RELEASED = new Set(['CREATED', 'IN_REVIEW'])

/** UUID in the examples of the help. */
const EXAMPLE_UUID = '7d1f6a52-6f0b-4b7e-8f57-0c6a5d1e2b90'

type ListOptions = RowOptions & EnvironmentOptions & FilterOptions

/** Adds `results list|get|pdf|text`. */
export function define(group: Command, { terminal, action }: CommandTools): void {
  withExample(
    withFilters(
      withRows(withEnvironment(group.command('list').description('list results, newest first'))),
    ).option(
      '--released <day>',
      'only results released on this day: today, yesterday or a date. The service does not return a time of release: resultDate is used, or createdAt without a resultDate',
    ),
    'npx pathology results list --released yesterday --tz Australia/Sydney --json',
    'npx pathology results list --status COMPLETE --since 7d',
  ).action(action((options: ListOptions) => list(terminal, options)))

  withExample(
    withFhir(
      withObject(withEnvironment(group.command('get <uuid>').description('show one result'))),
      'print a FHIR R4 Bundle as JSON',
    ),
    `npx pathology results get ${EXAMPLE_UUID} --json`,
  ).action(
    action(async (uuid: string, options: RowOptions & FhirOptions) => {
      if (options.fhir === true) return writeBundle(terminal, uuid, options)
      const result = await retrieve(terminal, uuid, options)
      writeObject(terminal, options, result, { biomarkers: BIOMARKERS })
      return undefined
    }),
  )

  withExample(
    withPdf(withEnvironment(group.command('pdf <uuid>').description("save a result's PDF"))),
    `npx pathology results pdf ${EXAMPLE_UUID} --out result.pdf`,
  ).action(action(savePdf(terminal, (client, uuid, signal) => client.results.document(uuid, { signal }))))

  withExample(
    withEnvironment(group.command('text <uuid>').description("print the laboratories' report text")),
    `npx pathology results text ${EXAMPLE_UUID}`,
  ).action(
    action(async (uuid: string, options: EnvironmentOptions) => {
      const text = reportText(await retrieve(terminal, uuid, options))
      if (text === '')
        throw new OperationError(
          'the result has no report text: npx pathology results get shows its biomarkers',
        )
      terminal.stdout.write(`${text}\n`)
      return undefined
    }),
  )
}

function retrieve(terminal: Terminal, uuid: string, options: EnvironmentOptions): Promise<Result> {
  const { signal } = terminal
  return withClient(terminal, options, (client) => client.results.retrieve(uuid, { signal }))
}

/** Writes the bundle of a result with its referral. */
async function writeBundle(terminal: Terminal, uuid: string, options: FhirOptions): Promise<undefined> {
  const base = fhirBase(terminal, options)
  const { signal } = terminal
  const { bundle } = await withClient(terminal, options, async (client) => {
    const result = await client.results.retrieve(uuid, { signal })
    const { referralUuid } = result
    const referral = referralUuid ? await client.referrals.retrieve(referralUuid, { signal }) : undefined
    return resultBundle(result, { base, referral })
  })
  writeJson(terminal, bundle)
  return undefined
}

async function list(terminal: Terminal, options: ListOptions): Promise<undefined> {
  const filters = resolveFilters(terminal, options, RESULT_STATUSES)
  const query = { sort: 'desc', skipDuplicates: true, ...rangeOf(filters) } as const
  await withClient(terminal, options, (client) => {
    const records = client.results.list(query, { signal: terminal.signal })
    return writeRows(terminal, options, LAYOUT, selectedRecords(records, filters, isReleasedIn(filters)))
  })
}

/**
 * Selects released results by `resultDate`, because the service returns no time of release. Uses `createdAt` if the
 * result has no valid `resultDate`.
 */
function isReleasedIn({ released }: ResolvedFilters): (result: Result) => boolean {
  if (released === undefined) return () => true
  return ({ status, resultDate, createdAt }) => {
    const dated = parseTime(resultDate ?? '')
    const time = Number.isNaN(dated) ? parseTime(createdAt) : dated
    return !NOT_RELEASED.has(status) && time >= released.from && time < released.until
  }
}
