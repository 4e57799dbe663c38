import { effect, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

/** Minimum time between two reads of a busy fake, in milliseconds. */
const READ_INTERVAL_MS = 150

type Query = Readonly<Record<string, string | number | undefined>>

/** Number of changes that the page knows of. Each view reads its data again after a change. */
export const changes = signal(0)

/** `undefined` until the page has heard from the fake for the first time. */
export const isLive = signal<boolean | undefined>(undefined)

export function read<T>(path: string): Promise<T> {
  return send('GET', path)
}

/** Sends a request to the control API, and returns the JSON of the response. */
export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
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
export function withQuery(path: string, query: Query): string {
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

type Outcome<T> = (got: (data: T) => void, failed: (message: string) => void) => void

async function outcomeOf<T>(path: string): Promise<Outcome<T>> {
  try {
    const data = await read<T>(path)
    return (got) => got(data)
  } catch (error) {
    // A fake that's gone is shown as offline, and the page keeps what it shows.
    return (_got, failed) => error instanceof TypeError || failed(messageOf(error))
  }
}

/** Reads now and after each change, one read at a time. Returns a function that stops. */
export function follow<T>(
  path: string,
  { read: got, failed }: { read: (data: T) => void; failed: (message: string) => void },
): () => void {
  let isOver = false
  let isReading = false
  let isStale = false
  const refresh = async (): Promise<void> => {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !isOver) {
      isStale = false
      const outcome = await outcomeOf<T>(path)
      if (!isOver) outcome(got, failed)
      if (isStale) await new Promise((resolve) => setTimeout(resolve, READ_INTERVAL_MS))
    }
    isReading = false
  }
  const stop = effect(() => {
    if (changes.value >= 0) void refresh()
  })
  return () => {
    isOver = true
    stop()
  }
}

/** Data of a path, and why the last read failed. While another path is read, the data of the previous one stays. */
export function useRead<T>(path: string): { readonly data?: T; readonly failure?: string } {
  const [state, setState] = useState<{ data?: T; failure?: string }>({})
  useEffect(
    () => follow<T>(path, { read: (data) => setState({ data }), failed: (failure) => setState({ failure }) }),
    [path],
  )
  return state
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
