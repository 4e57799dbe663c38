import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FakePathologyService } from 'pathology-sdk/testing'
import { onTestFinished } from 'vitest'
import { runProgram } from '../../src/cli/program.js'
import type { Terminal } from '../../src/cli/shared/terminal.js'

export interface CommandInput {
  readonly env?: Readonly<Record<string, string>>
  /** Content of standard input, or the error of reading it. */
  readonly stdin?: string | Uint8Array | Error
  /** Whether the output is a terminal. */
  readonly isTTY?: boolean
  /** Width of the terminal. */
  readonly columns?: number
  readonly now?: number
  readonly cwd?: string
  readonly signal?: AbortSignal
}

export interface CommandOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A terminal with this input, in a directory without a `.env` file, and what was written to it. */
export function terminalOf(input: CommandInput): {
  terminal: Terminal
  written: Omit<CommandOutput, 'code'>
} {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY: input.isTTY ?? false,
    columns: input.columns,
  })
  const terminal: Terminal = {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    readStdin: async () => {
      const { stdin = '' } = input
      if (stdin instanceof Error) throw stdin
      return typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin
    },
    env: input.env ?? {},
    cwd: input.cwd ?? tmpdir(),
    now: () => input.now ?? Date.now(),
    signal: input.signal ?? new AbortController().signal,
  }
  return { terminal, written }
}

/** Runs a command line in this process. */
export async function runCommand(words: readonly string[], input: CommandInput = {}): Promise<CommandOutput> {
  const { terminal, written } = terminalOf(input)
  const code = await runProgram(words, terminal)
  return { code, ...written }
}

/** The environment that leads to a fake. */
export function environmentOf(fake: FakePathologyService): Record<string, string> {
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  return {
    PATHOLOGY_BASE_URL: baseUrl,
    PATHOLOGY_AUTH_URL: authUrl,
    PATHOLOGY_CLIENT_ID: clientId,
    PATHOLOGY_CLIENT_SECRET: clientSecret,
    PATHOLOGY_WEBHOOK_SECRET: fake.signingSecret,
    PATHOLOGY_FAKE_CONTROL_URL: fake.controlUrl ?? '',
  }
}

/** A directory of its own with files; removed after the test. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pathology-cli-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}
