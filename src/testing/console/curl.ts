/** Headers that the command omits, because curl sets them itself or does not need them. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Returns the request as a curl command for a POSIX shell. A masked secret is the variable `$SECRET`. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))
  return [
    `curl --request ${method} ${quoted(url)}`,
    ...sent.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** Returns the headers of a request that can be sent again: without masked secrets and those that belong to a connection. */
export function headersToSend(headers: SentRequest['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !OWN_HEADERS.has(name) && !value.includes('[redacted]'),
    ),
  )
}

function quoted(text: string): string {
  const parts = text.split('[redacted]').map((part) => `'${part.replaceAll("'", `'\\''`)}'`)
  return parts.join('"$SECRET"')
}
