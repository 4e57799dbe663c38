import { styleText } from 'node:util'

/** Streams, environment and clock of one command. Tests replace them. */
export interface Terminal {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** Returns everything on standard input, as bytes. */
  readonly readStdin: () => Promise<Uint8Array>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of relative paths and of the `.env` file. */
  readonly cwd: string
  /** Current time in milliseconds since the epoch. */
  readonly now: () => number
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

export interface OutputStream {
  write(text: string): void
  /** `true` when the output goes to a terminal, and not to a file or a pipe. */
  readonly isTTY: boolean
  /** Width of the terminal in characters; `undefined` without one. */
  readonly columns?: number | undefined
}

export const EXIT = {
  /** The command succeeded. */
  ok: 0,
  /** The operation failed: the service, the network or a file. */
  failure: 1,
  /** The command line, the environment or an input file is invalid. */
  usage: 2,
  /** The command ran to its end and found problems. */
  findings: 3,
  /** Ctrl-C or SIGTERM ended the command. A started fake and `mirror serve` return 0 instead. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command line, the environment or an input file is invalid. The message never contains a patient's value. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An operation failed. The message is shown as it is. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
}

type Style = Parameters<typeof styleText>[0]

/**
 * Returns `true` when the output has colours: standard output is a terminal, `NO_COLOR` is missing or empty, and `TERM`
 * is not `dumb`.
 */
function hasColours({ env, stdout }: Pick<Terminal, 'env' | 'stdout'>): boolean {
  return stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

/** Styles a text if the output has colours. */
export function styled(terminal: Pick<Terminal, 'env' | 'stdout'>, style: Style, text: string): string {
  if (!hasColours(terminal)) return text
  return styleText(style, text, { validateStream: false })
}
