import type { Command } from 'commander'
import type { SweepReport } from '../../mirror/index.js'
import { applyMigrations, grantScript, migrationScript } from '../mirror-service/administration.js'
import { copyLocation, MIRROR_VARIABLES, withMirror } from '../mirror-service/environment.js'
import { type ExportOptions, exportResults } from '../mirror-service/export.js'
import { ORGANISATIONS_VARIABLE } from '../mirror-service/organisations.js'
import { runService } from '../mirror-service/run-service.js'
import { showStatus } from '../mirror-service/show-status.js'
import { type CommandTools, withEnvironment, withExample, withObject, withRows } from '../shared/command.js'
import type { EnvironmentOptions } from '../shared/environment.js'
import { withFhir } from '../shared/fhir.js'
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

/** Adds the commands of a mirror. */
export function define(group: Command, { terminal, action }: CommandTools): void {
  const command = (name: string, summary: string, help = VARIABLES_HELP): Command =>
    withEnvironment(group.command(name).description(summary)).addHelpText('after', help)

  withExample(
    withEnvironment(
      group
        .command('serve')
        .description(
          'keep the copy up to date. Serves /webhooks, /healthz, /readyz, /metrics, and a status page at /',
        ),
    ).addHelpText('after', SERVE_HELP),
    'npx pathology mirror serve',
  ).action(action((options: Options) => runService(terminal, options)))

  withExample(
    withObject(
      command('status', 'show the state, the service, the lag, waiting and failed work, and sweeps'),
    ),
    'npx pathology mirror status --json',
  ).action(action((options: Options) => showStatus(terminal, options)))

  withExample(
    withObject(
      command('backfill', 'read all records into the copy; continues a backfill that was interrupted'),
    ).option('--restart', 'read all records again after a backfill that has finished'),
    'npx pathology mirror backfill',
  ).action(
    action((options: Options & { restart?: boolean }) =>
      run(terminal, options, (onProgress) =>
        withMirror(terminal, options, (mirror) =>
          mirror.backfill({ onProgress, restart: options.restart, signal: terminal.signal }),
        ),
      ),
    ),
  )

  withExample(
    withObject(command('sweep <name>', `read records of the service again: ${SWEEPS.join(', ')}`)).option(
      '--accept-gone',
      'mark missing records as gone, even if they are more than 20 and more than 2 % of the records of an organisation',
    ),
    'npx pathology mirror sweep open',
  ).action(
    action((name: string, options: Options & { acceptGone?: boolean }) => {
      const sweep = SWEEPS.find((known) => known === name)
      if (sweep === undefined) throw new UsageError(`the sweep must be one of ${SWEEPS.join(', ')}`)
      const { acceptGone } = options
      return run(terminal, options, () =>
        withMirror(terminal, options, (mirror) =>
          mirror.sweep(sweep, { acceptGone, signal: terminal.signal }),
        ),
      )
    }),
  )

  withExample(
    withRows(command('verify', 'compare the copy with the service, and change nothing')).option(
      '--sample <number>',
      'compare the newest page of each list and this number of random records per organisation; default: all',
    ),
    'npx pathology mirror verify --sample 500',
  ).action(action((options: Options & { sample?: string }) => verify(terminal, options)))

  withExample(
    withRows(command('dead', 'list work that failed too often'))
      .option('--retry', 'retry the work instead of listing it')
      .option('--uuid <uuid>', 'only the work of this record or group (a referral and its results)')
      .option('--skip <position>', 'skip the change at this position, whose handler failed too often'),
    'npx pathology mirror dead',
    'npx pathology mirror dead --retry',
  ).action(action((options: DeadOptions) => dead(terminal, options)))

  withExample(
    command('replay', 'deliver changes to a consumer again')
      .requiredOption('--consumer <name>', 'name of the consumer')
      .option('--uuid <uuid>', 'only the group of this record: the referral and its results')
      .option(
        '--after <position>',
        'changes after this position, and earlier ones that were never delivered; default: all',
      )
      .option('--json', 'print JSON'),
    'npx pathology mirror replay --consumer default --after 1200',
  ).action(
    action(async (options: Options & { consumer: string; uuid?: string; after?: string }) => {
      const { consumer, uuid } = options
      const after = options.after === undefined ? undefined : position('--after', options.after)
      const groups = await withMirror(terminal, options, (mirror) => mirror.replay({ consumer, uuid, after }))
      writeObject(terminal, options, { groups })
      return undefined
    }),
  )

  withExample(
    command('remove-consumer <name>', 'remove a consumer that no process uses any more, and its positions'),
    'npx pathology mirror remove-consumer billing',
  ).action(
    action(async (name: string, options: Options) => {
      const removed = await withMirror(terminal, options, (mirror) => mirror.removeConsumer(name))
      if (removed === 0)
        throw new OperationError(
          'no consumer has this name; nothing was removed. npx pathology mirror status shows the names',
        )
      return undefined
    }),
  )

  withExample(
    withObject(command('erase <uuid>', 'erase a referral and its results from the copy permanently')).option(
      '--yes',
      'confirm the erasure; required',
    ),
    'npx pathology mirror erase 7d1f6a52-6f0b-4b7e-8f57-0c6a5d1e2b90 --yes',
  ).action(
    action(async (uuid: string, options: Options & { yes?: boolean }) => {
      if (options.yes !== true) throw new UsageError('erase cannot be undone; nothing was erased. Add --yes')
      const report = await withMirror(terminal, options, (mirror) => mirror.erase({ uuid }))
      writeObject(terminal, options, report)
      if (report.referrals + report.results === 0) {
        terminal.stderr.write(
          'The copy has no referral or result with this UUID. From now on, the mirror does not store a record with this UUID.\n',
        )
      }
      return undefined
    }),
  )

  withExample(
    withFhir(
      command('export', 'write the results of the copy as NDJSON, one FHIR resource a line', LOCATION_HELP),
      'FHIR R4, the only format; required',
    )
      .option('--since <time>', 'only results that changed in the copy since then, such as 24h; default: all')
      .option('--after <uuid>', 'continue after this result: the id of the last DiagnosticReport')
      .option('--tz <zone>', 'time zone of --since; default: of this machine'),
    'npx pathology mirror export --fhir --base https://clinic.example/pathology > results.ndjson',
  ).action(action((options: ExportOptions) => exportResults(terminal, options)))

  withExample(
    withObject(
      command('migrate', 'apply the missing migrations, or print all migrations as SQL', LOCATION_HELP),
    )
      .option('--print', 'print all migrations as SQL, without a connection')
      .option('--row-security', 'enable row security; with --print, include the statements for it'),
    'npx pathology mirror migrate --print > mirror.sql',
  ).action(
    action(async (options: Options & { print?: boolean; rowSecurity?: boolean }) => {
      const location = copyLocation(terminal, options)
      const chosen = { ...location, rowSecurity: location.rowSecurity || options.rowSecurity === true }
      if (options.print === true) terminal.stdout.write(migrationScript(chosen))
      else writeObject(terminal, options, await applyMigrations(chosen))
      return undefined
    }),
  )

  withExample(
    command(
      'grants',
      'print SQL that creates three database roles: writer, reader and statistics',
      LOCATION_HELP,
    ).option('--row-security', "also print the writer's policies; required with row security"),
    'npx pathology mirror grants > roles.sql',
  ).action(
    action(async (options: Options & { rowSecurity?: boolean }) => {
      const location = copyLocation(terminal, options)
      const rowSecurity = location.rowSecurity || options.rowSecurity === true
      terminal.stdout.write(grantScript({ ...location, rowSecurity }))
      return undefined
    }),
  )
}

/** Runs a backfill or a sweep and writes its report. In a terminal, one line shows the progress of a backfill. */
async function run(
  terminal: Terminal,
  options: Options,
  work: (onProgress: (report: SweepReport) => void) => Promise<SweepReport>,
): Promise<undefined> {
  const { stdout, stderr } = terminal
  const show = ({ read, requests, new: added, changed }: SweepReport): void => {
    if (stderr.isTTY)
      stderr.write(`\r${read} records, ${added} new, ${changed} changed, ${requests} requests`)
  }
  const report = await work(show)
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
