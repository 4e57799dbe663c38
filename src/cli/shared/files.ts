import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from './terminal.js'

/** Reads a file of the command line; `-` is standard input. */
export async function readInput(terminal: Terminal, path: string): Promise<Uint8Array> {
  if (path === '-') return terminal.readStdin()
  try {
    return await readFile(resolve(terminal.cwd, path))
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${systemReason(error) ?? 'check the path'}`)
  }
}

/** Reasons for error messages, by the error code of the operating system. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
}

/** Returns the reason of an error of the file system in words; `undefined` for any other error. */
export function systemReason(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? REASONS[code] : undefined
}

/** Describes an error of the file system by its path and its reason; `undefined` for any other error. */
export function fileProblem(error: unknown): string | undefined {
  const reason = systemReason(error)
  if (reason === undefined || !(error instanceof Error)) return undefined
  const path: unknown = Reflect.get(error, 'path')
  return `${typeof path === 'string' ? path : 'a file'} cannot be used: ${reason}`
}

/** Reads a file as text in UTF-8, without a byte order mark. */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readInput(terminal, path))
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${nameOf(path)} is not text in UTF-8`)
  }
}

/** Reads a file as JSON. */
export async function readJson(terminal: Terminal, path: string): Promise<unknown> {
  const text = await readText(terminal, path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${nameOf(path)} is not JSON: ${parseProblem(error, text)}`)
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** Describes where the JSON parser failed. The parser's own message would repeat a part of the text. */
function parseProblem(error: unknown, text: string): string {
  const [, digits] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
  if (text.trim() === '') return 'it is empty'
  if (digits === undefined || Number(digits) >= text.trimEnd().length) return 'it is incomplete'
  const before = text.slice(0, Number(digits)).split('\n')
  return `see line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}
