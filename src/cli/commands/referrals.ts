import type { Command } from 'commander'
import type { PathologyClient } from '../../client/index.js'
import { REFERRAL_STATUSES } from '../../contract/enums.js'
import type { Referral } from '../../contract/types.js'
import { type CommandTools, withEnvironment, withExample, withObject, withRows } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { type FilterOptions, rangeOf, resolveFilters, selectedRecords } from '../shared/list.js'
import { type RowLayout, type RowOptions, writeObject, writeRows } from '../shared/output.js'
import { savePdf, withFilters, withPdf } from '../shared/records.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'

const LAYOUT: RowLayout<Referral> = {
  columns: [
    'uuid',
    'status',
    'referenceNumber',
    'reference',
    'createdAt',
    'updatedAt',
    'resultsUuid',
    'tests',
  ],
  table: ['uuid', 'status', 'createdAt', 'referenceNumber', 'tests'],
  empty: 'No referrals match.',
}

type ListOptions = RowOptions & EnvironmentOptions & FilterOptions
type FindOptions = RowOptions &
  EnvironmentOptions & {
    readonly key?: string
    readonly reference?: string
    readonly since?: string
    readonly tz?: string
  }

/** Adds `referrals list|get|pdf|find`. */
export function define(group: Command, { terminal, action }: CommandTools): void {
  withExample(
    withFilters(withRows(withEnvironment(group.command('list').description('list referrals, newest first')))),
    'npx pathology referrals list --status CREATED --older-than 24h',
    'npx pathology referrals list --since 7d --tz Australia/Sydney --csv',
  ).action(action((options: ListOptions) => list(terminal, options)))

  withExample(
    withObject(withEnvironment(group.command('get <uuid>').description('show one referral'))),
    'npx pathology referrals get 0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60 --json',
  ).action(
    action(async (uuid: string, options: RowOptions & EnvironmentOptions) => {
      const { signal } = terminal
      const referral = await withClient(terminal, options, (client) =>
        client.referrals.retrieve(uuid, { signal }),
      )
      writeObject(terminal, options, referral)
      return undefined
    }),
  )

  withExample(
    withPdf(withEnvironment(group.command('pdf <uuid>').description("save a referral's PDF"))),
    'npx pathology referrals pdf 0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60 --out referral.pdf',
  ).action(action(savePdf(terminal, (client, uuid, signal) => client.referrals.document(uuid, { signal }))))

  withExample(
    withRows(withEnvironment(group.command('find').description('find the referrals of an order')))
      .option('--key <orderKey>', 'order key that your program chose or that an error shows')
      .option('--reference <number>', 'your own reference number')
      .option(
        '--since <time>',
        'earliest time of the order: 7d, yesterday, a date or ISO 8601; default: 24h with --key, no limit with --reference',
      )
      .option('--tz <zone>', 'time zone of days and dates; default: the time zone of this machine'),
    'npx pathology referrals find --key 4f6b6a3e-visit-1001 --since 7d',
  ).action(action((options: FindOptions) => find(terminal, options)))
}

async function list(terminal: Terminal, options: ListOptions): Promise<undefined> {
  const filters = resolveFilters(terminal, options, REFERRAL_STATUSES)
  const query = { sort: 'desc', skipDuplicates: true, ...rangeOf(filters) } as const
  await withClient(terminal, options, (client) => {
    const records = client.referrals.list(query, { signal: terminal.signal })
    return writeRows(terminal, options, LAYOUT, selectedRecords(records, filters))
  })
}

async function find(terminal: Terminal, options: FindOptions): Promise<undefined> {
  const { since } = rangeOf(resolveFilters(terminal, options, REFERRAL_STATUSES))
  if ((options.key === undefined) === (options.reference === undefined))
    throw new UsageError('pass either --key or --reference')
  await withClient(terminal, options, async (client) => {
    const found = await referralsOf(client, options, { since, signal: terminal.signal })
    if (found.length === 0) throw new OperationError(notFound(options))
    return writeRows(terminal, options, LAYOUT, found)
  })
}

function notFound({ key, since }: FindOptions): string {
  const what = key === undefined ? 'this reference number' : 'this order key'
  const isComplete = key === undefined && since === undefined
  const window = since === undefined ? ' in the last 24 hours' : ` with --since ${since}`
  const advice = isComplete ? '' : `${window}. Try an earlier --since`
  return `no referral with ${what} was found${advice}. A new order can take a while to appear`
}

async function referralsOf(
  client: PathologyClient,
  { key, reference = '' }: FindOptions,
  search: { readonly since?: Date | string | undefined; readonly signal: AbortSignal },
): Promise<readonly Referral[]> {
  if (key === undefined) return client.referrals.findByReferenceNumber(reference, search).toArray()
  const order = await client.referrals.findByOrderKey(key, search)
  return order?.referrals ?? []
}
