import type { Mirror, SweepReport } from '../../mirror/index.js'
import { printGrants } from '../../mirror/schema/grants.js'
import { applyMigrations, migrationScript } from '../mirror-service/administration.js'
import {
  type CopyLocation,
  copyLocation,
  MIRROR_VARIABLES,
  withMirror,
} from '../mirror-service/environment.js'
import { exportResults } from '../mirror-service/export.js'
import { ORGANISATIONS_VARIABLE } from '../mirror-service/organisations.js'
import { runService } from '../mirror-service/run-service.js'
import { showStatus } from '../mirror-service/show-status.js'
import { type CommandRow, required } from '../shared/command.js'
import type { EnvironmentOptions } from '../shared/environment.js'
import { fhirOptions } from '../shared/fhir.js'
import { readLimit } from '../shared/list.js'
import { formatOf, type RowOptions, writeJson, writeObject, writeRows } from '../shared/output.js'
import { EXIT, type ExitCode, OperationError, type Terminal, UsageError } from '../shared/terminal.js'

type Options = EnvironmentOptions & RowOptions

const SWEEPS = ['recent', 'open', 'everything'] as const

const LOCATION_VARIABLES = `
  ${MIRROR_VARIABLES.database}       postgres:// URL or a directory; default: ./pathology-mirror
  ${MIRROR_VARIABLES.schema}         schema of the tables; default: pathology`

const COMMON_VARIABLES = `${LOCATION_VARIABLES}
  ${ORGANISATIONS_VARIABLE}         names of several organisations, such as north,south. Each has its own variables, such as
                                  PATHOLOGY_NORTH_CLIENT_ID, and its own path, such as /webhooks/north`

/** Help for the commands that work without credentials. */
const LOCATION_HELP = `
Variables; this command needs no credentials:${LOCATION_VARIABLES}
  ${MIRROR_VARIABLES.rowSecurity}   true has the effect of --row-security; default: false`

const VARIABLES_HELP = `
Variables, in addition to the credentials:${COMMON_VARIABLES}`

const SERVE_HELP = `
Variables, in addition to the credentials and PATHOLOGY_WEBHOOK_SECRET:${COMMON_VARIABLES}
  ${MIRROR_VARIABLES.host}           address to listen on; default: 127.0.0.1
  ${MIRROR_VARIABLES.port}           port to listen on; default: 8080
  ${MIRROR_VARIABLES.documents}      database or none: storage of PDFs; default: database
  ${MIRROR_VARIABLES.concurrency}    maximum number of pieces of work at the same time, up to 64; with 0, only receives events;
                                  default: 4, or 1 if the database is a directory
  ${MIRROR_VARIABLES.history}   days to keep earlier states of records; default: no limit
  ${MIRROR_VARIABLES.eventDays}     days to keep received events; default: 30
  ${MIRROR_VARIABLES.lease}       milliseconds until another process takes over the work of a process that ended; default: 60000
  ${MIRROR_VARIABLES.migrations}     auto applies missing migrations; manual ends with an error instead; default: auto
  ${MIRROR_VARIABLES.rowSecurity}   with true, tables show only the rows of one organisation, except to superusers, roles with
                                  BYPASSRLS, the owner, and the writer role of mirror grants --row-security; default: false`

const ROWS: readonly CommandRow[] = [
  {
    name: 'serve',
    summary:
      'keep the copy up to date. Serves /webhooks, /healthz, /readyz, /metrics, and a status page at /',
    help: SERVE_HELP,
    run: runService,
  },
  {
    name: 'status',
    summary: 'show the state, the service, the lag, waiting and failed work, and sweeps',
    prints: 'object',
    run: showStatus,
  },
  {
    name: 'backfill',
    summary: 'read all records into the copy; continues a backfill that was interrupted',
    prints: 'object',
    options: [['--restart', 'read all records again after a backfill that has finished']],
    run: (terminal, options: Options & { restart?: boolean }) =>
      run(terminal, options, (mirror, onProgress) =>
        mirror.backfill({ onProgress, restart: options.restart, signal: terminal.signal }),
      ),
  },
  {
    name: 'sweep <name>',
    summary: `read records of the service again: ${SWEEPS.join(', ')}`,
    prints: 'object',
    options: [
      [
        '--accept-gone',
        'mark missing records as gone, even if they are more than 20 and more than 2 % of the records of an organisation',
      ],
    ],
    examples: ['mirror sweep open'],
    run: async (terminal, name: string, options: Options & { acceptGone?: boolean }) => {
      const sweep = SWEEPS.find((known) => known === name)
      if (sweep === undefined) throw new UsageError(`the sweep must be one of ${SWEEPS.join(', ')}`)
      const { acceptGone } = options
      return run(terminal, options, (mirror) => mirror.sweep(sweep, { acceptGone, signal: terminal.signal }))
    },
  },
  {
    name: 'verify',
    summary: 'compare the copy with the service, and change nothing',
    prints: 'rows',
    options: [
      [
        '--sample <number>',
        'compare the newest page of each list and this number of random records per organisation; default: all',
      ],
    ],
    examples: ['mirror verify --sample 500'],
    run: verify,
  },
  {
    name: 'dead',
    summary: 'list work that failed too often',
    prints: 'rows',
    options: [
      ['--retry', 'retry the work instead of listing it'],
      ['--uuid <uuid>', 'only the work of this record or group (a referral and its results)'],
      ['--skip <position>', 'skip the change at this position, whose handler failed too often'],
    ],
    examples: ['mirror dead', 'mirror dead --retry'],
    run: dead,
  },
  {
    name: 'replay',
    summary: 'deliver changes to a consumer again',
    options: [
      required('--consumer <name>', 'name of the consumer'),
      ['--uuid <uuid>', 'only the group of this record: the referral and its results'],
      [
        '--after <position>',
        'changes after this position, and earlier ones that were never delivered; default: all',
      ],
      ['--json', 'print JSON'],
    ],
    examples: ['mirror replay --consumer default --after 1200'],
    run: async (terminal, options: Options & { consumer: string; uuid?: string; after?: string }) => {
      const { consumer, uuid } = options
      const after = options.after === undefined ? undefined : position('--after', options.after)
      const groups = await withMirror(terminal, options, (mirror) => mirror.replay({ consumer, uuid, after }))
      return writeObject(terminal, options, { groups })
    },
  },
  {
    name: 'remove-consumer <name>',
    summary: 'remove a consumer that no process uses any more, and its positions',
    examples: ['mirror remove-consumer billing'],
    run: async (terminal, name: string, options: Options) => {
      const removed = await withMirror(terminal, options, (mirror) => mirror.removeConsumer(name))
      if (removed > 0) return undefined
      throw new OperationError(
        'no consumer has this name; nothing was removed. npx pathology mirror status shows the names',
      )
    },
  },
  {
    name: 'erase <uuid>',
    summary: 'erase a referral and its results from the copy permanently',
    prints: 'object',
    options: [['--yes', 'confirm the erasure; required']],
    examples: ['mirror erase 7d1f6a52-6f0b-4b7e-8f57-0c6a5d1e2b90 --yes'],
    run: async (terminal, uuid: string, options: Options & { yes?: boolean }) => {
      if (options.yes !== true) throw new UsageError('erase cannot be undone; nothing was erased. Add --yes')
      const report = await withMirror(terminal, options, (mirror) => mirror.erase({ uuid }))
      if (report.referrals + report.results === 0)
        terminal.stderr.write(
          'The copy has no referral or result with this UUID. From now on, the mirror does not store a record with this UUID.\n',
        )
      return writeObject(terminal, options, report)
    },
  },
  {
    name: 'export',
    summary: 'write the results of the copy as NDJSON, one FHIR resource a line',
    options: [
      ...fhirOptions('FHIR R4, the only format; required'),
      ['--since <time>', 'only results that changed in the copy since then, such as 24h; default: all'],
      ['--after <uuid>', 'continue after this result: the id of the last DiagnosticReport'],
      ['--tz <zone>', 'time zone of --since; default: of this machine'],
    ],
    help: LOCATION_HELP,
    examples: ['mirror export --fhir --base https://clinic.example/pathology > results.ndjson'],
    run: exportResults,
  },
  {
    name: 'migrate',
    summary: 'apply the missing migrations, or print all migrations as SQL',
    prints: 'object',
    options: [
      ['--print', 'print all migrations as SQL, without a connection'],
      ['--row-security', 'enable row security; with --print, include the statements for it'],
    ],
    help: LOCATION_HELP,
    examples: ['mirror migrate --print > mirror.sql'],
    run: async (terminal, options: Options & { print?: boolean; rowSecurity?: boolean }) => {
      const location = chosenLocation(terminal, options)
      if (options.print !== true) return writeObject(terminal, options, await applyMigrations(location))
      terminal.stdout.write(migrationScript(location))
      return undefined
    },
  },
  {
    name: 'grants',
    summary: 'print SQL that creates three database roles: writer, reader and statistics',
    options: [['--row-security', "also print the writer's policies; required with row security"]],
    help: LOCATION_HELP,
    examples: ['mirror grants > roles.sql'],
    run: async (terminal, options: Options & { rowSecurity?: boolean }) => {
      terminal.stdout.write(printGrants(chosenLocation(terminal, options)))
      return undefined
    },
  },
]

export const commands: readonly CommandRow[] = ROWS.map((row) => ({ help: VARIABLES_HELP, ...row }))

function chosenLocation(terminal: Terminal, options: Options & { rowSecurity?: boolean }): CopyLocation {
  const location = copyLocation(terminal, options)
  return { ...location, rowSecurity: location.rowSecurity || options.rowSecurity === true }
}

/** Runs a backfill or a sweep and writes its report. In a terminal, one line shows the progress of a backfill. */
async function run(
  terminal: Terminal,
  options: Options,
  work: (mirror: Mirror, onProgress: (report: SweepReport) => void) => Promise<SweepReport>,
): Promise<undefined> {
  const { stdout, stderr } = terminal
  const show = ({ read, requests, new: added, changed }: SweepReport): void => {
    if (stderr.isTTY)
      stderr.write(`\r${read} records, ${added} new, ${changed} changed, ${requests} requests`)
  }
  const report = await withMirror(terminal, options, (mirror) => work(mirror, show))
  if (stderr.isTTY) stderr.write('\n')
  if (options.json === true || !stdout.isTTY) writeJson(terminal, report)
  else {
    const { read, requests, new: added, changed, recovered, durationMs } = report
    stdout.write(`${read} records read in ${(durationMs / 1_000).toFixed(1)} s with ${requests} requests\n`)
    stdout.write(`${added} new, ${changed} changed; for ${recovered} of them, no event had arrived\n`)
  }
  return undefined
}

async function verify(terminal: Terminal, options: Options & { sample?: string }): Promise<ExitCode> {
  const { stderr, signal } = terminal
  const sample = options.sample === undefined ? undefined : readLimit('--sample', options.sample)
  const onProgress = (compared: number): void => {
    if (stderr.isTTY) stderr.write(`\r${compared} compared`)
  }
  const report = await withMirror(terminal, options, (mirror) =>
    mirror.verify({ sample, onProgress, signal }),
  )
  if (stderr.isTTY) stderr.write('\n')
  if (options.json === true) writeJson(terminal, report)
  else {
    const isTable = formatOf(terminal, options) === 'table'
    const layout = { columns: ['organisation', 'kind', 'uuid', 'reason', 'fields'] } as const
    if (!isTable || report.differ > 0) await writeRows(terminal, options, layout, report.differences)
    const output = isTable ? terminal.stdout : stderr // CSV has no place for a summary
    output.write(`${report.compared} compared, ${report.differ} differ\n`)
  }
  return report.differ > 0 ? EXIT.findings : EXIT.ok
}

interface DeadOptions extends Options {
  readonly retry?: boolean
  readonly uuid?: string
  readonly skip?: string
}

/** Maximum number of pieces of dead work in the output. */
const MAX_DEAD = 100_000

async function dead(terminal: Terminal, options: DeadOptions): Promise<ExitCode> {
  const { uuid } = options
  if (options.skip !== undefined && (options.retry === true || uuid !== undefined))
    throw new UsageError('--skip skips the change at one position: pass it without --retry and --uuid')
  const skip = options.skip === undefined ? undefined : position('--skip', options.skip)
  return withMirror(terminal, options, async (mirror) => {
    if (skip !== undefined) {
      const skipped = await mirror.dead.skip({ position: skip })
      if (skipped === 0)
        throw new OperationError('no failed delivery waits at this position; nothing was skipped')
      return EXIT.ok
    }
    if (options.retry === true) {
      const retried = await mirror.dead.retry({ uuid })
      terminal.stderr.write(
        `Work that is due again: ${retried}. A running mirror (npx pathology mirror serve) repeats it.\n`,
      )
      return EXIT.ok
    }
    const all = await mirror.dead.list({ uuid, limit: MAX_DEAD })
    const rows = all.map((work) => ({ ...work, since: work.since.toISOString() }))
    const columns = ['organisation', 'kind', 'consumer', 'uuid', 'position', 'attempts', 'error', 'since']
    const empty = `No work${uuid === undefined ? '' : ' of this UUID'} has failed too often.`
    await writeRows(terminal, options, { columns, empty }, rows)
    return rows.length > 0 ? EXIT.findings : EXIT.ok
  })
}

function position(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`${option} must be the position of a change, an integer`)
}
