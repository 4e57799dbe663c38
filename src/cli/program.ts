import { Command, CommanderError } from 'commander'
import { VERSION } from '../client/resolve-options.js'
import { isPathologyError } from '../common/errors.js'
import { COMMANDS } from './commands.js'
import { addCommand } from './shared/command.js'
import { fileProblem } from './shared/files.js'
import { EXIT, type ExitCode, OperationError, type Terminal, UsageError } from './shared/terminal.js'

const NAME = 'pathology'

/**
 * Runs one command line.
 *
 * @param given - Arguments after the program's name.
 * @returns The exit code. Errors are written to standard error.
 */
export async function runProgram(given: readonly string[], terminal: Terminal): Promise<ExitCode> {
  // `help referrals list` is `referrals list --help`: commander's own help command does not load the group.
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  let code: ExitCode = EXIT.ok
  try {
    const program = await createProgram(words, terminal, (result = EXIT.ok) => {
      code = result
    })
    await program.parseAsync([...words], { from: 'user' })
    return code
  } catch (error) {
    return reportError(terminal, error)
  }
}

/**
 * Creates the parser. Only the group that the words name has its commands, except that `completion` needs all of them;
 * every other group has only a summary.
 */
export async function createProgram(
  words: readonly string[],
  terminal: Terminal,
  done: (code: ExitCode | undefined) => void = () => undefined,
): Promise<Command> {
  const { stdout, stderr } = terminal
  const program = new Command(NAME)
    .description('Commands for the pathology referral and results service')
    .version(VERSION, '--version', 'print the version')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', EXIT_CODES)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(withoutValue(text)),
      outputError: (text, write) => write(parserError(text, words)),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
  for (const { name, summary, load } of COMMANDS) {
    // The fake has options of the same name as its own commands, such as --set.
    const group = program.command(name).description(summary).helpCommand(false).enablePositionalOptions()
    if (name !== words[0] && words[0] !== 'completion') continue
    for (const row of (await load()).commands) addCommand(group, row, terminal, done)
  }
  return program
}

/** Formats an error of the parser like the other error messages, and adds the command that shows the help. */
function parserError(text: string, words: readonly string[]): string {
  const message = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\.$/, '')
  const advice = message.replace(/\n?\(Did you mean (.+?)\?\)/, '; did you mean $1?')
  const group = COMMANDS.find(({ name }) => name === words[0])
  const command = group === undefined ? NAME : `${NAME} ${group.name}`
  return `${NAME}: ${advice}\nRun npx ${command} --help for the commands and options.\n`
}

/** Removes the value of an unknown option from an error, because the value can be a secret: `-pVALUE` becomes `-p`. */
function withoutValue(text: string): string {
  // The value can contain quotes and line breaks, so it ends at the last quote of the text.
  return text.replace(/(unknown (?:option|command) '(?:--[^=]*|-.)).*'/su, "$1'")
}

function reportError({ stderr, signal }: Terminal, error: unknown): ExitCode {
  if (signal.aborted) return EXIT.interrupted
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  stderr.write(`${NAME}: ${messageOf(error)}\n`)
  const isUsage =
    error instanceof UsageError ||
    isPathologyError(error, 'INVALID_PARAMETER') ||
    (isPathologyError(error) && ['ConfigurationError', 'InvalidRequestError'].includes(error.name))
  return isUsage ? EXIT.usage : EXIT.failure
}

/**
 * Returns the message of a known error. The text of an unknown error can contain personal data, so only its code is
 * shown.
 */
function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof OperationError) return error.message
  if (isPathologyError(error)) return error.message
  const problem = fileProblem(error)
  if (problem !== undefined) return problem
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string'
    ? `the command failed: ${code}`
    : 'the command failed because of an internal error'
}

const EXIT_CODES = `
Run a command with --help for its options and an example.

Credentials come from the environment or a .env file, never from arguments:
  PATHOLOGY_BASE_URL, PATHOLOGY_AUTH_URL, PATHOLOGY_CLIENT_ID, PATHOLOGY_CLIENT_SECRET,
  PATHOLOGY_WEBHOOK_SECRET (webhooks verify, doctor, mirror serve), PATHOLOGY_LEDGER_URL (ledger),
  PATHOLOGY_FAKE_CONTROL_URL (commands that control a running fake)

Exit codes: 0 success; 1 the operation failed; 2 invalid command line, settings or input file;
3 the command found problems; 130 Ctrl-C or SIGTERM ended the command (a started fake and mirror serve: 0).`
