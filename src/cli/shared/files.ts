import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from './terminal.js'

/** Reads a file of the command line; `-` is standard input. */
export async function readInput(terminal: Terminal, path: string): Promise<Uint8Array> {
  if (path === '-') return terminal.readStdin()
  try {
    return await readFile(resolve(terminal.cwd, path))
  } catch {
    throw new UsageError('the input file cannot be read; check its path and its permissions')
  }
}

/** Reads a file as text in UTF-8, without a byte order mark. */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readInput(terminal, path))
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError('the input file is not text in UTF-8')
  }
}

/** Reads a file as JSON. An error of the JSON parser would repeat the text. */
export async function readJson(terminal: Terminal, path: string): Promise<unknown> {
  const text = await readText(terminal, path)
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('the input file is not JSON')
  }
}
