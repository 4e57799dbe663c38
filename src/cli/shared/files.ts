import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from './terminal.js'

/** Reads a file of the command line; `-` is standard input. */
export async function readInput(terminal: Terminal, path: string): Promise<Uint8Array> {
  try {
    return path === '-' ? await terminal.readStdin() : await readFile(resolve(terminal.cwd, path))
  } catch (error) {
    const advice = path === '-' ? 'check the pipe or the file behind it' : 'check the path'
    throw new UsageError(`${nameOf(path)} cannot be read: ${systemReason(error) ?? advice}`)
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

/** Returns the reason of an error in words; `undefined` if `REASONS` does not contain the error's code. */
export function systemReason(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? REASONS[code] : undefined
}

/** Describes an error of the file system by its path and its reason; `undefined` if the reason is unknown. */
export function fileProblem(error: unknown): string | undefined {
  const reason = systemReason(error)
  if (reason === undefined || !(error instanceof Error)) return undefined
  const path: unknown = Reflect.get(error, 'path')
  return `${typeof path === 'string' ? path : 'a file'} cannot be used: ${reason}`
}

/** Reads a file as text in UTF-8, without a byte order mark. */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  const bytes = await readInput(terminal, path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${nameOf(path)} is not text in UTF-8`)
  }
}

export async function readJson(terminal: Terminal, path: string): Promise<unknown> {
  const text = await readText(terminal, path)
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${nameOf(path)} is not JSON: ${parseProblem(text)}`)
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** Describes where the JSON parser fails. The parser's own message would repeat a part of the text. */
function parseProblem(text: string): string {
  if (text.trim() === '') return 'it is empty'
  const position = invalidPosition(text)
  if (position >= text.trimEnd().length) return 'it is incomplete'
  const before = text.slice(0, position).split('\n')
  return `see line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/**
 * Returns the position of the first invalid character, or the length of the text if the text is only incomplete. The
 * parser gives no position for some characters. The search then finds the shortest start of the text that the parser
 * rejects.
 */
function invalidPosition(text: string): number {
  const known = parserPosition(text)
  if (known !== undefined) return known
  let [valid, rejected] = [0, text.length]
  while (rejected - valid > 1) {
    const middle = Math.floor((valid + rejected) / 2)
    if ((parserPosition(text.slice(0, middle)) ?? -1) >= middle) valid = middle
    else rejected = middle
  }
  return valid
}

/**
 * Returns the position of the first character that the parser rejects, or the length of the text if it is valid or
 * incomplete. Returns `undefined` if the parser gives no position.
 */
function parserPosition(text: string): number | undefined {
  try {
    JSON.parse(text)
    return text.length
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const [, digits] = /at position (\d+)/.exec(message) ?? []
    if (digits !== undefined) return Number(digits)
    return message.includes('end of JSON input') ? text.length : undefined
  }
}
