import type { PathologyClient } from '../../client/index.js'
import { REFERRAL_STATUSES } from '../../contract/enums.js'
import type { Referral } from '../../contract/types.js'
import { type CommandRow, TIME_ZONE } from '../shared/command.js'
import { withClient } from '../shared/environment.js'
import { rangeOf, resolveFilters } from '../shared/list.js'
import { type RowLayout, writeObject, writeRows } from '../shared/output.js'
import { FILTERS, listFiltered, PDF_FILE, type ReadOptions, savePdf } from '../shared/records.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'

const LAYOUT: RowLayout<Referral> = {
  columns: [
    ...['uuid', 'status', 'referenceNumber', 'reference', 'createdAt', 'updatedAt'],
    ...['resultsUuid', 'tests'],
  ],
  table: ['uuid', 'status', 'createdAt', 'referenceNumber', 'tests'],
  empty: 'No referrals match.',
}

export const commands: readonly CommandRow[] = [
  {
    name: 'list',
    summary: 'list referrals, newest first',
    prints: 'rows',
    options: FILTERS,
    examples: [
      'referrals list --status CREATED --older-than 24h',
      'referrals list --since 7d --tz Australia/Sydney --csv',
    ],
    run: listFiltered(LAYOUT, REFERRAL_STATUSES, (client, query, options) =>
      client.referrals.list(query, options),
    ),
  },
  {
    name: 'get <uuid>',
    summary: 'show one referral',
    prints: 'object',
    run: async (terminal, uuid: string, options: ReadOptions) => {
      const { signal } = terminal
      const referral = await withClient(terminal, options, (client) =>
        client.referrals.retrieve(uuid, { signal }),
      )
      return writeObject(terminal, options, referral)
    },
  },
  {
    name: 'pdf <uuid>',
    summary: "save a referral's PDF",
    options: [PDF_FILE],
    run: savePdf((client, uuid, options) => client.referrals.document(uuid, options)),
  },
  {
    name: 'find',
    summary: 'find the referrals of an order',
    prints: 'rows',
    options: [
      ['--key <orderKey>', 'order key that your program chose or that an error shows'],
      ['--reference <number>', 'your own reference number'],
      [
        '--since <time>',
        'earliest time of the order: 7d, yesterday, a date or ISO 8601; default: 24h with --key, no limit with --reference',
      ],
      TIME_ZONE,
    ],
    examples: ['referrals find --key 4f6b6a3e-visit-1001 --since 7d'],
    run: find,
  },
]

interface FindOptions extends ReadOptions {
  readonly key?: string
  readonly reference?: string
  readonly since?: string
}

async function find(terminal: Terminal, options: FindOptions): Promise<undefined> {
  const { since } = rangeOf(resolveFilters(terminal, options, REFERRAL_STATUSES))
  if ((options.key === undefined) === (options.reference === undefined))
    throw new UsageError('pass either --key or --reference')
  return withClient(terminal, options, async (client) => {
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
