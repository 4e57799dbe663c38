import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { DocumentPromise, PathologyClient } from '../../client/index.js'
import { type EnvironmentOptions, withClient } from './environment.js'
import { systemReason } from './files.js'
import { OperationError, type Terminal } from './terminal.js'

/** Adds the filters and the limit of a list, as options of a command. */
export function withFilters(command: Command): Command {
  return command
    .option('--status <statuses>', 'only records with one of these statuses, separated by commas')
    .option('--since <time>', 'created at or after: 7d, 24h, yesterday, a date, or ISO 8601')
    .option('--until <time>', 'created before this time')
    .option('--older-than <duration>', 'created more than this time ago, such as 24h')
    .option('--tz <zone>', 'time zone of days and dates; default: the time zone of this machine')
    .option('--limit <number>', 'maximum number of records')
}

/** Options of the commands that save a PDF. */
export interface PdfOptions extends EnvironmentOptions {
  readonly out?: string | undefined
}

/** Adds the options for a PDF. */
export function withPdf(command: Command): Command {
  return command.option('--out <file>', 'path of the PDF; default: <uuid>.pdf. Only you can read the file')
}

/** Returns the action of a command that saves a PDF. */
export function savePdf(
  terminal: Terminal,
  documentOf: (client: PathologyClient, uuid: string, signal: AbortSignal) => DocumentPromise,
): (uuid: string, options: PdfOptions) => Promise<undefined> {
  return async (uuid, options) => {
    const { signal } = terminal
    const path = options.out ?? `${uuid}.pdf`
    const { bytes } = await withClient(terminal, options, (client) =>
      documentOf(client, uuid, signal).saveTo(resolve(terminal.cwd, path), { signal }),
    ).catch((error: unknown) => {
      const reason = systemReason(error)
      if (reason === undefined) throw error
      // The error's path is that of a temporary file. If the rename failed, the error's `dest` is the target.
      const target = resolve(terminal.cwd, path)
      const place = Reflect.get(Object(error), 'dest') === target ? target : dirname(target)
      throw new OperationError(`nothing was saved: the PDF cannot be written to ${place}: ${reason}`)
    })
    terminal.stderr.write(`saved ${path}, ${bytes} bytes\n`)
    return undefined
  }
}
