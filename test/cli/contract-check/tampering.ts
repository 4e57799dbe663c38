import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FakePathologyService } from 'pathology-sdk/testing'
import { onTestFinished } from 'vitest'
import { record } from '../../testing/support.js'

/** A change of the responses to some requests. */
export interface Tamper {
  /** Path with its query. */
  readonly path: RegExp
  readonly status?: number
  readonly mediaType?: string
  /** Query parameter that does not reach the fake. */
  readonly dropQuery?: string
  readonly method?: string
  /** Whether `json` changes error responses, instead of successes. */
  readonly errors?: boolean
  readonly json?: (body: Record<string, unknown>) => unknown
  /** Accept header in place of the one that the client sent. */
  readonly accept?: string
}

/** A server that passes requests to the fake and changes the responses. Returns its environment. */
export async function startTampering(
  fake: FakePathologyService,
  tampers: readonly Tamper[],
): Promise<Record<string, string>> {
  let origin = ''
  const { baseUrl, authUrl } = fake.clientOptions()
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? '/'
    const matching = tampers.filter(
      (tamper) => tamper.path.test(path) && (tamper.method ?? incoming.method) === incoming.method,
    )
    const passed = matching.reduce(
      (url, { dropQuery }) => (dropQuery === undefined ? url : withoutQuery(url, dropQuery)),
      path,
    )
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
    const accept = matching.find((tamper) => tamper.accept !== undefined)?.accept ?? incoming.headers.accept
    const names = ['authorization', 'content-type'] as const
    const headers = Object.fromEntries(
      [...names.map((name) => [name, incoming.headers[name]] as const), ['accept', accept] as const].flatMap(
        ([name, value]) => (value === undefined ? [] : [[name, value]]),
      ),
    )
    const { method = 'GET' } = incoming
    const [, document] = /^\/documents-of-fake\/(.*)$/.exec(path) ?? []
    const target = path.startsWith('/oauth') ? authUrl : baseUrl
    const response = await fetch(
      document === undefined ? `${target}${passed}` : atob(document.replace(/\.pdf$/, '')),
      {
        method,
        headers,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      },
    )
    const type = response.headers.get('content-type') ?? ''
    let body: Buffer = Buffer.from(await response.arrayBuffer())
    if (type.includes('json')) {
      const given: unknown = JSON.parse(body.toString('utf8'))
      const changed = matching.reduce(
        (value, { json, errors = false }) =>
          json === undefined || errors === response.ok || Array.isArray(value) ? value : json(record(value)),
        given,
      )
      body = Buffer.from(throughHere(JSON.stringify(changed), origin))
    }
    const status = matching.find((tamper) => tamper.status !== undefined)?.status ?? response.status
    const mediaType = matching.find((tamper) => tamper.mediaType !== undefined)?.mediaType ?? type
    outgoing.writeHead(status, { 'content-type': mediaType }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { PATHOLOGY_BASE_URL: origin, PATHOLOGY_AUTH_URL: origin }
}

/** Replaces the origin of signed URLs by this server. */
function throughHere(json: string, origin: string): string {
  return json.replace(
    /("(?:referral|result)Attachment":)"(http[^"]+)"/g,
    (_, name: string, url: string) => `${name}"${origin}/documents-of-fake/${btoa(url)}.pdf"`,
  )
}

function withoutQuery(path: string, name: string): string {
  const url = new URL(path, 'http://localhost')
  url.searchParams.delete(name)
  return `${url.pathname}${url.search}`
}
