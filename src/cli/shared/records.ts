import { dirname, resolve } from 'node:path'
import type { DocumentPromise, PathologyClient, TimeRange } from '../../client/index.js'
import { type CommandRow, type OptionRow, TIME_ZONE } from './command.js'
import { type EnvironmentOptions, withClient } from './environment.js'
import { systemReason } from './files.js'
import { type FilterOptions, type ResolvedFilters, rangeOf, resolveFilters, selectedRecords } from './list.js'
import { type RowLayout, type RowOptions, writeRows } from './output.js'
import { OperationError, type Terminal } from './terminal.js'

/** Options of a command that reads the service and prints something. */
export type ReadOptions = RowOptions & EnvironmentOptions

interface Abortable {
  readonly signal: AbortSignal
}

/** Returns the run of a command that lists all records of a kind. */
export function listAll<T extends object>(
  layout: RowLayout<T>,
  list: (client: PathologyClient, options: Abortable) => AsyncIterable<T>,
): CommandRow['run'] {
  return (terminal: Terminal, options: ReadOptions) =>
    withClient(terminal, options, (client) =>
      writeRows(terminal, options, layout, list(client, { signal: terminal.signal })),
    )
}

/** Filters and limit of a list of referrals or results. */
export const FILTERS: readonly OptionRow[] = [
  ['--status <statuses>', 'only records with one of these statuses, separated by commas'],
  ['--since <time>', 'created at or after: 7d, 24h, yesterday, a date, or ISO 8601'],
  ['--until <time>', 'created before this time'],
  ['--older-than <duration>', 'created more than this time ago, such as 24h'],
  TIME_ZONE,
  ['--limit <number>', 'maximum number of records'],
]

/** Returns the run of a command that lists the records of a kind that match `FILTERS`, newest first. */
export function listFiltered<T extends { readonly status: string }>(
  layout: RowLayout<T>,
  statuses: readonly string[],
  list: (client: PathologyClient, query: NewestFirst, options: Abortable) => AsyncIterable<T>,
  selects: (filters: ResolvedFilters) => (record: T) => boolean = () => () => true,
): CommandRow['run'] {
  return async (terminal: Terminal, options: ReadOptions & FilterOptions) => {
    const filters = resolveFilters(terminal, options, statuses)
    const query = { sort: 'desc', skipDuplicates: true, ...rangeOf(filters) } as const
    return withClient(terminal, options, (client) => {
      const records = list(client, query, { signal: terminal.signal })
      return writeRows(terminal, options, layout, selectedRecords(records, filters, selects(filters)))
    })
  }
}

type NewestFirst = TimeRange & { readonly sort: 'desc'; readonly skipDuplicates: true }

/** Option of a command that saves a PDF. */
export const PDF_FILE: OptionRow = [
  '--out <file>',
  'path of the PDF; default: <uuid>.pdf. Only you can read the file',
]

/** Returns the run of a command that saves a PDF. */
export function savePdf(
  documentOf: (client: PathologyClient, uuid: string, options: Abortable) => DocumentPromise,
): CommandRow['run'] {
  return async (
    terminal: Terminal,
    uuid: string,
    options: EnvironmentOptions & { readonly out?: string },
  ) => {
    const { signal } = terminal
    const path = options.out ?? `${uuid}.pdf`
    const target = resolve(terminal.cwd, path)
    const { bytes } = await withClient(terminal, options, (client) =>
      documentOf(client, uuid, { signal }).saveTo(target, { signal }),
    ).catch((error: unknown) => {
      const reason = systemReason(error)
      if (reason === undefined) throw error
      // The error's path is that of a temporary file. If the rename failed, the error's `dest` is the target.
      const place = Reflect.get(Object(error), 'dest') === target ? target : dirname(target)
      throw new OperationError(`nothing was saved: the PDF cannot be written to ${place}: ${reason}`)
    })
    terminal.stderr.write(`saved ${path}, ${bytes} bytes\n`)
    return undefined
  }
}
