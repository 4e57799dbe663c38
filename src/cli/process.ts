import { addAbortSignal } from 'node:stream'
import { runProgram } from './program.js'
import { systemReason } from './shared/files.js'
import { EXIT, type OutputStream, type Terminal } from './shared/terminal.js'

/** Time in which open connections can close after the command, in milliseconds. */
const EXIT_MS = 2_000

/** Runs the program with the streams, the environment and the signals of this process. */
export async function runProcess(words: readonly string[]): Promise<void> {
  endOnOutputError()
  process.exitCode = await runProgram(words, processTerminal(abortOnInterrupt()))
  await written(process.stdout)
  // A connection to a server that does not respond would keep the process alive for minutes.
  setTimeout(() => process.exit(), EXIT_MS).unref()
}

function processTerminal(signal: AbortSignal): Terminal {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    readStdin: () => readStdin(signal),
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

async function readStdin(signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of addAbortSignal(signal, process.stdin)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/**
 * Ends the process if the output cannot be written. A reader such as `head` can close its pipe early: the exit code is
 * then 0.
 */
function endOnOutputError(): void {
  process.stdout.on('error', (error) => {
    if (Reflect.get(error, 'code') === 'EPIPE') process.exit(EXIT.ok)
    process.stderr.write(
      `pathology: the output cannot be written: ${systemReason(error) ?? 'unknown reason'}\n`,
    )
    process.exit(EXIT.failure)
  })
}

/** Waits until all data of the stream is written. The reader of a pipe can be slow. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

/**
 * Aborts the command at the first Ctrl-C or SIGTERM, so that the command can remove its temporary files. Ends the
 * process when the same signal arrives again.
 */
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
