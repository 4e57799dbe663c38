import { startsFake } from './commands/fake-words.js'
import { runProgram } from './program.js'
import { EXIT, type OutputStream, type Terminal } from './shared/terminal.js'

/** Maximum time for connections that are being closed. */
const EXIT_MS = 2_000

/** Runs the program with the streams, the environment and the signals of this process. */
export async function runProcess(words: readonly string[]): Promise<void> {
  // The fake has its own handling of signals: Ctrl-C stops it, and that is success.
  if (startsFake(words)) {
    const { runCli } = await import('../testing/cli/run.js')
    process.exitCode = await runCli(words.slice(1))
    return
  }
  endQuietlyOnClosedPipe()
  process.exitCode = await runProgram(words, processTerminal(abortOnInterrupt()))
  // A connection without a response, such as one to a database that is cut off, would keep the process for minutes.
  setTimeout(() => process.exit(), EXIT_MS).unref()
}

function processTerminal(signal: AbortSignal): Terminal {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    readStdin,
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    signal,
  }
}

function outputOf(stream: NodeJS.WriteStream): OutputStream {
  const write = (text: string): void => void stream.write(text)
  return { write, isTTY: stream.isTTY === true, columns: stream.columns }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** The reader of a pipe, such as `head`, may end first. */
function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error) => {
    if (Reflect.get(error, 'code') === 'EPIPE') process.exit(EXIT.ok)
    throw error
  })
}

/** The first Ctrl-C or SIGTERM ends the work, so that no temporary file stays; the second one ends the process. */
function abortOnInterrupt(): AbortSignal {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(EXIT.interrupted))
      abort.abort()
    })
  }
  return abort.signal
}
