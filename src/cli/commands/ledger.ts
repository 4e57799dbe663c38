import type { LedgerEntry, ManagedOrderLedger } from '../../client/index.js'
import { similarName } from '../../contract/similar.js'
import { type CommandRow, type OptionRow, required } from '../shared/command.js'
import { readEnvironment, withClient } from '../shared/environment.js'
import { readLimit } from '../shared/list.js'
import { type RowLayout, type RowOptions, writeObject, writeRows } from '../shared/output.js'
import { EXIT, type ExitCode, OperationError, type Terminal, UsageError } from '../shared/terminal.js'
import { parseTime, timeZone } from '../shared/times.js'
import { LEDGER_VARIABLE, type LedgerOptions, withLedger } from './ledger-connection.js'

const STATES: readonly LedgerEntry['state'][] = ['unknown', 'placed', 'busy', 'not-placed']

/** Time after its last request in which an order can still appear, in milliseconds. */
const APPEARS_MS = 3_600_000

/** Time by which a lookup starts before the first request, because clocks differ, in milliseconds. */
const CLOCK_MARGIN_MS = 15 * 60_000

const LAYOUT: RowLayout<LedgerRow> = {
  columns: ['key', 'state', 'firstSentAt', 'lastSentAt', 'claimEndsAt', 'referrals', 'namespace'],
  table: ['key', 'state', 'firstSentAt', 'lastSentAt', 'referrals'],
  empty: 'No orders match.',
}

const HELP = `
Variables:
  ${LEDGER_VARIABLE}   postgres://, redis:// or rediss:// URL of the database with the ledger`

const STORE: OptionRow = ['--store <name>', 'table in Postgres or prefix in Redis, if your program sets one']
const NAMESPACE: OptionRow = [
  '--namespace <text>',
  'only this namespace; by default "<origin of the base URL> <client id>"',
]
const ZONE: OptionRow = ['--tz <zone>', 'time zone of --before; default: the time zone of this machine']

const ROWS: readonly CommandRow[] = [
  {
    name: 'list',
    summary: 'list orders by state, newest first',
    prints: 'rows',
    options: [
      NAMESPACE,
      ['--state <state>', `one of ${STATES.join(', ')}`, 'unknown'],
      ['--before <time>', 'only orders last sent or recorded before this time: 1h, yesterday, ISO 8601'],
      ZONE,
      ['--limit <number>', 'maximum number of orders', '100'],
    ],
    examples: ['ledger list', 'ledger list --before 1h --json'],
    run: list,
  },
  {
    name: 'show <key>',
    summary: 'show one order, and what to do next',
    prints: 'object',
    options: [NAMESPACE],
    examples: ['ledger show visit-1001'],
    run: (terminal, key: string, options: Options) =>
      withLedger(terminal, options, async (ledger) => {
        const entry = await entryOf(ledger, key, options)
        writeObject(terminal, options, rowOf(entry))
        terminal.stderr.write(`\n${nextStep(entry, terminal.now())}\n`)
        return undefined
      }),
  },
  {
    name: 'resolve <key>',
    summary: 'record whether an order was placed',
    prints: 'object',
    options: [
      NAMESPACE,
      ['--placed <uuids...>', 'the order was placed: UUIDs of its referrals, one or two'],
      ['--not-placed', 'the order was not placed; the next run of its job may place it'],
      ['--yes', 'record the outcome although a check advises against it'],
    ],
    examples: [
      'ledger resolve visit-1001 --placed 0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60',
      'ledger resolve visit-1001 --not-placed',
    ],
    run: resolve,
  },
  {
    name: 'prune',
    summary: 'delete finished orders; never one with an unknown outcome',
    prints: 'object',
    options: [required('--before <time>', 'recorded before this time: 90d, a date, ISO 8601'), ZONE],
    examples: ['ledger prune --before 90d'],
    run: async (terminal, options: PruneOptions) => {
      const before = timeOf(terminal, options.before, options.tz)
      const deleted = await withLedger(terminal, options, (ledger) => ledger.prune({ before }))
      return writeObject(terminal, options, { deleted })
    },
  },
]

interface Options extends LedgerOptions, RowOptions {
  readonly namespace?: string
}

interface ListOptions extends Options {
  readonly state: string
  readonly before?: string
  readonly tz?: string
  readonly limit: string
}

interface ResolveOptions extends Options {
  readonly placed?: readonly string[]
  readonly notPlaced?: boolean
  readonly yes?: boolean
}

type PruneOptions = Options & { readonly before: string; readonly tz?: string }

export const commands: readonly CommandRow[] = ROWS.map((row) => ({
  ...row,
  options: [STORE, ...(row.options ?? [])],
  help: HELP,
}))

async function list(terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  const state = STATES.find((known) => known === options.state)
  if (state === undefined) {
    const meant = similarName(options.state, STATES)
    throw new UsageError(
      `--state must be one of ${STATES.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    )
  }
  const limit = readLimit('--limit', options.limit)
  const { namespace } = options
  const before = options.before === undefined ? undefined : timeOf(terminal, options.before, options.tz)
  const entries = await withLedger(terminal, options, (ledger) =>
    ledger.list({ state, before, limit, namespace }),
  )
  const empty = state === 'unknown' ? 'No order has an unknown outcome.' : `No order is ${state}.`
  await writeRows(terminal, options, { ...LAYOUT, empty }, entries.map(rowOf))
  if (entries.length === limit)
    terminal.stderr.write(`There may be older orders: --limit ${limit} was reached.\n`)
  return state === 'unknown' && entries.length > 0 ? EXIT.findings : EXIT.ok
}

async function resolve(terminal: Terminal, key: string, options: ResolveOptions): Promise<undefined> {
  const { placed, notPlaced = false, yes = false } = options
  if ((placed === undefined) === !notPlaced)
    throw new UsageError('pass either --placed with the UUIDs of the referrals, or --not-placed')
  return withLedger(terminal, options, async (ledger) => {
    const entry = await entryOf(ledger, key, options)
    if (entry.state === 'busy')
      throw new OperationError(
        `a call is placing this order, or its process stopped a moment ago; nothing was recorded. Wait until ${entry.claimEndsAt.toISOString()}, and look again: npx pathology ledger show ${quoted(key)}`,
      )
    if (!yes)
      await (placed === undefined
        ? checkAge(terminal, entry)
        : checkReferrals(terminal, options, key, placed))
    const isRecorded = await ledger.resolve(entry, placed === undefined ? 'not-placed' : { placed })
    if (!isRecorded)
      throw new OperationError(
        'the ledger has the order as placed, which is final; nothing was changed. To cancel the order, delete its referrals',
      )
    return writeObject(terminal, options, rowOf(await entryOf(ledger, key, options)))
  })
}

async function entryOf(
  ledger: ManagedOrderLedger,
  key: string,
  { namespace }: Options,
): Promise<LedgerEntry> {
  const [entry, ...others] = await ledger.list({ key, namespace })
  if (entry === undefined)
    throw new OperationError(
      `the ledger has no order with this key${namespace === undefined ? '' : ' in this namespace'}: it was never claimed here, or its entry was pruned`,
    )
  if (others.length === 0) return entry
  const names = [entry, ...others].map((each) => `--namespace ${quoted(each.namespace)}`).join('\n  ')
  throw new OperationError(`several namespaces have this key; pass one of\n  ${names}`)
}

/** An order that was sent a moment ago may still appear, and would then be placed a second time. */
function checkAge({ now }: Terminal, { lastSentAt }: LedgerEntry): void {
  const until = lastSentAt === undefined ? 0 : lastSentAt.getTime() + APPEARS_MS
  if (until <= now()) return
  throw new UsageError(
    `the order was last sent at ${lastSentAt?.toISOString()} and can take an hour to appear; nothing was recorded. Wait until ${new Date(until).toISOString()}, or add --yes if the service has confirmed that there is no such order`,
  )
}

/** Compares the referrals with the order, if there are credentials: a wrong UUID could not be taken back. */
async function checkReferrals(
  terminal: Terminal,
  options: Options,
  key: string,
  uuids: readonly string[],
): Promise<void> {
  if (readEnvironment(terminal, options).baseUrl === undefined) {
    terminal.stderr.write('The referrals were not compared with the service: there are no credentials.\n')
    return
  }
  const { signal } = terminal
  const { orderKeyOf } = await import('../../client/index.js')
  const referrals = await withClient(terminal, options, (client) =>
    Promise.all(uuids.map((uuid) => client.referrals.retrieve(uuid, { signal }))),
  )
  const other = referrals.find((referral) => ![key, undefined].includes(orderKeyOf(referral)))
  if (other === undefined) return
  throw new OperationError(
    `referral ${other.uuid} has another order key; nothing was recorded. Check the UUID, or add --yes`,
  )
}

/** What the person on duty does next. */
function nextStep({ state, key, firstSentAt, lastSentAt, claimEndsAt }: LedgerEntry, now: number): string {
  const name = quoted(key)
  if (state === 'busy') return `A call is placing this order. Look again after ${claimEndsAt.toISOString()}.`
  if (state === 'placed') return 'The order was placed; there is nothing to do.'
  if (state === 'not-placed') return 'The order was not placed. Run its job again to place it.'
  const since = new Date(Number(firstSentAt) - CLOCK_MARGIN_MS).toISOString()
  const until = Number(lastSentAt) + APPEARS_MS
  const absent = `npx pathology ledger resolve ${name} --not-placed`
  return `The outcome is unknown. Look the order up:
  npx pathology referrals find --key ${name} --since ${since}
If it is there: npx pathology ledger resolve ${name} --placed UUID
If it is not there: ${until > now ? `wait until ${new Date(until).toISOString()} and look again. If it is still not there: ` : ''}${absent}`
}

type LedgerRow = ReturnType<typeof rowOf>

function rowOf({ key, namespace, state, firstSentAt, lastSentAt, claimEndsAt, referrals }: LedgerEntry) {
  return {
    ...{ key, state },
    firstSentAt: firstSentAt?.toISOString(),
    lastSentAt: lastSentAt?.toISOString(),
    claimEndsAt: claimEndsAt.toISOString(),
    ...{ referrals, namespace },
  }
}

function timeOf(terminal: Terminal, text: string, tz: string | undefined): Date {
  return new Date(parseTime('--before', text, { now: terminal.now(), zone: timeZone(tz) }))
}

/** Quotes a word for a shell, unless it needs none. */
function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
