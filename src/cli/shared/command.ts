import { type Argument, type Command, Option } from 'commander'
import type { ExitCode, Terminal } from './terminal.js'

/** A group of commands, such as `referrals`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  /** Loads the commands when the group is used. */
  readonly load: () => Promise<{ readonly commands: readonly CommandRow[] }>
}

/** One command, as data. */
export interface CommandRow {
  /** Name and arguments, such as `get <uuid>`; absent for the command that is the group itself. */
  readonly name?: string
  readonly summary?: string
  /** Arguments that the name does not describe. */
  readonly arguments?: readonly Argument[]
  /** What the command prints: rows, one object, or formats with descriptions of their own. */
  readonly prints?: keyof typeof FORMATS | Formats
  /** `true`: the command reads no variables, so it has no `--env-file`. */
  readonly isOffline?: true
  readonly options?: readonly (OptionRow | Option)[]
  /** Command lines without `npx pathology`. Default: the command with its arguments. */
  readonly examples?: readonly string[]
  /** Further text of the help. */
  readonly help?: string
  /** Runs the command with its arguments, then its options. No exit code means 0. */
  readonly run: (terminal: Terminal, ...input: never[]) => Promise<ExitCode | undefined>
}

export type OptionRow = readonly [flags: string, description: string, fallback?: string]

/** UUID in the examples of the help. */
const EXAMPLE_UUID = '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'

type Formats = Readonly<Partial<Record<'json' | 'csv' | 'table', string>>>

const FORMATS = {
  rows: {
    json: 'print complete records as JSON',
    csv: 'print CSV, the default when the output is not a terminal',
    table: 'print a table, the default in a terminal',
  },
  object: {
    json: 'print JSON, the default when the output is not a terminal',
    table: 'print lines of names and values, the default in a terminal',
  },
} as const satisfies Readonly<Record<string, Formats>>

const COLUMNS: OptionRow = [
  '--columns <paths>',
  'fields of the table or the CSV, such as uuid,person.lastName',
]
const ENV_FILE: OptionRow = [
  '--env-file <file>',
  'file with PATHOLOGY_… variables; default: .env if it exists',
]

/** Option of every command that reads days or dates. */
export const TIME_ZONE: OptionRow = [
  '--tz <zone>',
  'time zone of days and dates; default: the time zone of this machine',
]

/** Returns an option without which the command is invalid. */
export function required(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory()
}

/** Adds a command to its group. `done` receives its exit code. */
export function addCommand(
  group: Command,
  row: CommandRow,
  terminal: Terminal,
  done: (code: ExitCode | undefined) => void,
): void {
  const command = row.name === undefined ? group : group.command(row.name)
  if (row.summary !== undefined) command.description(row.summary)
  for (const argument of row.arguments ?? []) command.addArgument(argument)
  for (const option of [
    ...(row.isOffline === true ? [] : [ENV_FILE]),
    ...formatOptions(row.prints),
    ...(row.options ?? []),
  ])
    command.addOption(option instanceof Option ? option : optionOf(option))
  const { help, examples = [`${group.name()} ${row.name ?? ''}`.replace(/<\w+>/, EXAMPLE_UUID).trim()] } = row
  if (help !== undefined) command.addHelpText('after', help)
  const lines = examples.map((example) => `\n  $ npx pathology ${example}`).join('')
  command.addHelpText('after', `\nExample:${lines}`)
  // The parser passes the arguments and options that the row describes.
  command.action(async (...input) => done(await row.run(terminal, ...(input as never[]))))
}

function optionOf([flags, description, fallback]: OptionRow): Option {
  return new Option(flags, description).default(fallback)
}

/** Returns an option for each format of the output. Only one of them can be used. */
function formatOptions(prints: CommandRow['prints'] = {}): (OptionRow | Option)[] {
  const formats = Object.entries(typeof prints === 'string' ? FORMATS[prints] : prints)
  const options = formats.map(([name, description]) => {
    const others = formats.map(([other]) => other).filter((other) => other !== name)
    return new Option(`--${name}`, description).conflicts(others)
  })
  return prints === 'rows' ? [...options, COLUMNS] : options
}
