import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CopyLocation } from './environment.js'
import { type HealthState, isHealthState, type Problem } from './health.js'

/** File in the directory of the database with the address of the running `mirror serve`. */
const FILE = 'pathology-sdk.service'

/** Maximum response time of the running service, in milliseconds. */
const LIMIT_MS = 5_000

/** Status of a running service, as `/status.json` returned it. */
export interface ServedStatus {
  readonly state: HealthState
  readonly problems: readonly Problem[]
}

/** Writes the address of this service into the directory of the database. Writes nothing for a server. */
export async function announceService(location: CopyLocation, url: string): Promise<() => Promise<void>> {
  const path = pathOf(location)
  if (path === undefined) return async () => undefined
  await writeFile(path, JSON.stringify({ url, schema: location.schema }))
  return () => rm(path, { force: true })
}

/** Returns the status of the running service that uses a directory; `undefined` if there is none. */
export async function statusOfService(location: CopyLocation): Promise<ServedStatus | undefined> {
  const path = pathOf(location)
  if (path === undefined) return undefined
  try {
    const { url, schema } = fieldsOf(JSON.parse(await readFile(path, 'utf8')))
    if (typeof url !== 'string' || schema !== location.schema) return undefined
    const response = await fetch(`${url}/status.json`, { signal: AbortSignal.timeout(LIMIT_MS) })
    const { changes: _, state, problems, ...status } = fieldsOf(await response.json())
    if (!isHealthState(state) || !Array.isArray(problems)) return undefined
    return { state, problems: problems.map((problem) => problemOf(fieldsOf(problem))), ...status }
  } catch {
    // The file is left from a process that was killed.
    return undefined
  }
}

function pathOf({ database }: CopyLocation): string | undefined {
  return /^postgres(ql)?:\/\//i.test(database) ? undefined : join(database, FILE)
}

function problemOf({ what, todo }: Readonly<Record<string, unknown>>): Problem {
  return { what: String(what), todo: String(todo) }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
