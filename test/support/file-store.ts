import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TokenLock, TokenStore } from 'pathology-sdk'

/** Creates a store like Keyv with a file for each key, for processes that share a directory. */
export function fileStore(directory: string): TokenStore {
  return {
    async get(key: string) {
      const entry = await readEntry(fileOf(directory, key))
      return entry === undefined || entry.until <= Date.now() ? undefined : entry.value
    },
    async set(key: string, value: string, ttl = Number.MAX_SAFE_INTEGER) {
      const file = fileOf(directory, key)
      const draft = `${file}.${process.pid}-${Math.random()}`
      await writeFile(draft, JSON.stringify({ value, until: Date.now() + ttl }))
      await rename(draft, file)
      return true
    },
    async delete(key: string) {
      await rm(fileOf(directory, key), { force: true })
      return true
    },
  }
}

/** Creates a store in one file that processes rewrite without a lock: a read may be incomplete, a write may be lost. */
export function carelessStore(file: string): TokenStore {
  const change = async (edit: (all: Record<string, unknown>) => void): Promise<void> => {
    const all = await readAll(file)
    edit(all)
    await writeFile(file, JSON.stringify(all))
  }
  return {
    get: async (key: string) => (await readAll(file))[key],
    set: (key: string, value: string) =>
      change((all) => {
        all[key] = value
      }),
    delete: (key: string) => change((all) => Reflect.deleteProperty(all, key)),
  }
}

async function readAll(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  return JSON.parse(text)
}

/** Creates a lock: a file that only one process can create. */
export function fileLock(directory: string): TokenLock {
  return {
    async acquire(key, ttlMs) {
      const file = fileOf(directory, key)
      try {
        await (await open(file, 'wx')).close()
        return () => rm(file, { force: true })
      } catch {
        const made = await stat(file).catch(() => undefined)
        if (made !== undefined && Date.now() - made.mtimeMs > ttlMs) await rm(file, { force: true })
        return undefined
      }
    },
  }
}

function fileOf(directory: string, key: string): string {
  return join(directory, encodeURIComponent(key))
}

async function readEntry(file: string): Promise<{ value: string; until: number } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}
