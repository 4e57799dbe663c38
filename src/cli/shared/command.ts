import { type Command, Option } from 'commander'
import type { ExitCode, Terminal } from './terminal.js'

/** Tools that a module needs to define its commands. */
export interface CommandTools {
  readonly terminal: Terminal
  /** Wraps the function of a command for the parser. The function returns the exit code; `undefined` means 0. */
  readonly action: <Input extends readonly unknown[]>(
    run: (...input: Input) => Promise<ExitCode | undefined>,
  ) => (...input: Input) => Promise<void>
  /** Returns the program with the commands of every group. */
  readonly loadAll: () => Promise<Command>
}

/** Function that adds the commands of a group to the parser. */
export type DefineCommands = (group: Command, tools: CommandTools) => void

/** A group of commands, such as `referrals`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  /** Loads the commands when the group is used. */
  readonly load: () => Promise<{ readonly define: DefineCommands }>
}

/** Adds the option for the file with credentials. */
export function withEnvironment(command: Command): Command {
  return command.option('--env-file <file>', 'file with PATHOLOGY_… variables; default: .env if it exists')
}

/** Adds the output options of a command that prints rows. */
export function withRows(command: Command): Command {
  return withFormats(command, {
    json: 'print complete records as JSON',
    csv: 'print CSV, the default when the output is not a terminal',
    table: 'print a table, the default in a terminal',
  }).option('--columns <paths>', 'fields of the table or the CSV, such as uuid,person.lastName')
}

/** Adds the output options of a command that prints one object. */
export function withObject(command: Command): Command {
  return withFormats(command, {
    json: 'print JSON, the default when the output is not a terminal',
    table: 'print lines of names and values, the default in a terminal',
  })
}

/** Adds an option for each format of the output, with its description. Only one of the options can be used. */
export function withFormats(
  command: Command,
  formats: Readonly<Partial<Record<'json' | 'csv' | 'table', string>>>,
): Command {
  const names = Object.keys(formats)
  for (const [name, description] of Object.entries(formats)) {
    const others = names.filter((other) => other !== name)
    command.addOption(new Option(`--${name}`, description).conflicts(others))
  }
  return command
}

/** Adds examples to the help. */
export function withExample(command: Command, ...examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${example}`).join('\n')
  return command.addHelpText('after', `\nExample:\n${lines}`)
}
