import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

/** Minimum time between two reads of a busy fake, in milliseconds. */
const READ_INTERVAL_MS = 150

/** Number of changes that the page knows of. Each view reads its data again after a change. */
export const changes = signal(0)

/** `undefined` until the page has heard from the fake for the first time. */
export const isLive = signal<boolean | undefined>(undefined)

export function read<T>(path: string): Promise<T> {
  return send('GET', path)
}

/** Sends a request to the control API, and returns the JSON of the response. */
export async function send<T>(method: string, path: string, body?: object | string): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const content = await response.json()
  if (!response.ok) throw new Error(content?.message ?? `${method} ${path} failed with ${response.status}`)
  return content
}

/** Adds a query to a path, without empty values. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Listens for changes while the page is visible. A hidden page closes the connection. */
export function listen(): void {
  let stream: EventSource | undefined
  const open = (): void => {
    stream = new EventSource('/changes')
    stream.addEventListener('open', () => (isLive.value = true))
    stream.addEventListener('error', () => (isLive.value = false))
    stream.addEventListener('change', () => (changes.value += 1))
  }
  document.addEventListener('visibilitychange', () => {
    stream?.close()
    if (!document.hidden) open()
  })
  if (!document.hidden) open()
}

/** Data of a path, and why the last read failed. */
export interface Read<T> {
  readonly data?: T
  readonly failure?: string
}

/** Reads a path now and after each change, one read at a time. Returns a function that stops. */
export function follow<T>(path: string, got: (read: Read<T>) => void): () => void {
  let isOver = false
  let isReading = false
  let isStale = false
  const refresh = async (): Promise<void> => {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !isOver) {
      isStale = false
      const result = await readOrFail<T>(path)
      if (!isOver && result !== undefined) got(result)
      if (isStale) await new Promise((resolve) => setTimeout(resolve, READ_INTERVAL_MS))
    }
    isReading = false
  }
  const stop = changes.subscribe(() => void refresh())
  return () => {
    isOver = true
    stop()
  }
}

/** Returns `undefined` if the fake is gone: it's shown as offline, and the page keeps what it shows. */
async function readOrFail<T>(path: string): Promise<Read<T> | undefined> {
  try {
    return { data: await read<T>(path) }
  } catch (error) {
    return error instanceof TypeError ? undefined : { failure: messageOf(error) }
  }
}

/** While another path is read, the data of the previous one stays. */
export function useRead<T>(path: string): Read<T> {
  const [state, setState] = useState<Read<T>>({})
  useEffect(() => follow<T>(path, setState), [path])
  return state
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
