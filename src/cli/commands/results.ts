import { RESULT_STATUSES } from '../../contract/enums.js'
import { parseTime } from '../../contract/times.js'
import type { Biomarker, Result } from '../../contract/types.js'
import { flagOf, formatRange } from '../../display/display-text.js'
import { reportText } from '../../display/report-text.js'
import { resultBundle } from '../../fhir/index.js'
import type { CommandRow } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { type FhirOptions, fhirBase, fhirOptions } from '../shared/fhir.js'
import type { ResolvedFilters } from '../shared/list.js'
import { type Column, type RowLayout, type RowOptions, writeJson, writeObject } from '../shared/output.js'
import { FILTERS, listFiltered, PDF_FILE, savePdf } from '../shared/records.js'
import { OperationError, type Terminal } from '../shared/terminal.js'

const LAYOUT: RowLayout<Result> = {
  columns: [
    ...['uuid', 'status', 'provenance', 'referenceNumber', 'reference', 'referralUuid', 'resultDate'],
    ...['createdAt', 'biomarkerSummary.abnormal', 'biomarkerSummary.total'],
  ],
  table: [
    ...['uuid', 'status', 'referenceNumber', 'resultDate'],
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

export const commands: readonly CommandRow[] = [
  {
    name: 'list',
    summary: 'list results, newest first',
    prints: 'rows',
    options: [
      ...FILTERS,
      [
        '--released <day>',
        'only results released on this day: today, yesterday or a date. The service does not return a time of release: resultDate is used, or createdAt without a resultDate',
      ],
    ],
    examples: [
      'results list --released yesterday --tz Australia/Sydney --json',
      'results list --status COMPLETE --since 7d',
    ],
    run: listFiltered(
      LAYOUT,
      RESULT_STATUSES,
      (client, query, options) => client.results.list(query, options),
      isReleasedIn,
    ),
  },
  {
    name: 'get <uuid>',
    summary: 'show one result',
    prints: 'object',
    options: fhirOptions('print a FHIR R4 Bundle as JSON'),
    run: async (terminal, uuid: string, options: RowOptions & FhirOptions) => {
      if (options.fhir === true) return writeBundle(terminal, uuid, options)
      const result = await retrieve(terminal, uuid, options)
      return writeObject(terminal, options, result, { biomarkers: BIOMARKERS })
    },
  },
  {
    name: 'pdf <uuid>',
    summary: "save a result's PDF",
    options: [PDF_FILE],
    run: savePdf((client, uuid, options) => client.results.document(uuid, options)),
  },
  {
    name: 'text <uuid>',
    summary: "print the laboratories' report text",
    run: async (terminal, uuid: string, options: EnvironmentOptions) => {
      const text = reportText(await retrieve(terminal, uuid, options))
      if (text === '')
        throw new OperationError(
          'the result has no report text: npx pathology results get shows its biomarkers',
        )
      terminal.stdout.write(`${text}\n`)
      return undefined
    },
  },
]

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
  return writeJson(terminal, bundle)
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
