/** Headers that the command omits, because curl sets them itself or does not need them. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

/** Name of the shell variable that replaces a masked value. */
const PLACEHOLDER = 'SECRET'

/**
 * Returns the request as a curl command for a POSIX shell. A masked secret is the variable `$SECRET`.
 *
 * @param {{ method: string, url: string, headers: Readonly<Record<string, string>>, body: string | null }} request
 */
export function curlOf({ method, url, headers, body }) {
  const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))
  return [
    `curl --request ${method} ${quoted(url)}`,
    ...sent.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** @param {string} text */
function quoted(text) {
  const parts = text.split('[redacted]').map((part) => `'${part.replaceAll("'", `'\\''`)}'`)
  return parts.join(`"$${PLACEHOLDER}"`)
}
