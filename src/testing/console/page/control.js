/**
 * Reads from the control API.
 *
 * @template T
 * @param {string} path
 * @returns {Promise<T>}
 */
export function read(path) {
  return send('GET', path)
}

/**
 * Sends a request to the control API.
 *
 * @template T
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<T>}
 */
export async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const content = await response.json()
  if (!response.ok) throw new Error(content?.message ?? `${method} ${path} failed with ${response.status}`)
  return content
}

/**
 * Adds a query to a path. Omits empty values.
 *
 * @param {string} path
 * @param {Readonly<Record<string, string | number | undefined>>} query
 */
export function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}

/**
 * Listens for changes while the page is visible. A hidden page closes the connection.
 *
 * @param {{ changed: (now: string) => void, connected: (is: boolean) => void }} listener
 */
export function listen({ changed, connected }) {
  /** @type {EventSource | undefined} */
  let stream
  const open = () => {
    stream = new EventSource('/changes')
    stream.addEventListener('open', () => connected(true))
    stream.addEventListener('error', () => connected(false))
    stream.addEventListener('change', (event) => changed(JSON.parse(event.data).now))
  }
  document.addEventListener('visibilitychange', () => {
    stream?.close()
    if (!document.hidden) open()
  })
  if (!document.hidden) open()
}
