import type { PathologyErrorName } from 'pathology-sdk'
import { CANARIES } from '../support/canary-values.js'
import { referral, result, UUID } from '../support/samples.js'
import { confession, everything, type HostileScript, page } from './hostile-service.js'
import type { Provocation, World } from './world.js'

const QUERY = `expires=1&signature=${CANARIES.signature}`

const download =
  (script: HostileScript, timeout?: number) =>
  ({ service, client }: World): unknown => {
    const referralAttachment = `${service.origin}/files/${CANARIES.lastName}.pdf?${QUERY}`
    service.on(`GET /v1/referrals/${UUID}`, { json: referral({ uuid: UUID, referralAttachment }) })
    service.on('*', script)
    return client({ timeout }).referrals.document(UUID).bytes()
  }

const at =
  (url: string) =>
  ({ service, client }: World): unknown => {
    service.on(`GET /v1/results/${UUID}`, { json: result({ uuid: UUID, resultAttachment: url }) })
    return client().results.document(UUID).bytes()
  }

const ROWS: readonly (readonly [string, PathologyErrorName, (world: World) => unknown])[] = [
  ['403 also with a fresh address', 'PermissionError', download((request) => confession(request, 403))],
  ['404', 'NotFoundError', download((request) => page(request, 404))],
  ['500', 'ServerError', download((request) => confession(request, 500))],
  ['429', 'RateLimitError', download((request) => confession(request, 429))],
  [
    'a redirect',
    'InvalidResponseError',
    download((request) => ({ status: 302, headers: { location: `https://evil.example${request.target}` } })),
  ],
  ['a page in place of a PDF', 'InvalidResponseError', download((request) => page(request, 200))],
  ['a reset', 'ConnectionError', download({ fault: 'reset' })],
  ['no response', 'TimeoutError', download({ fault: 'hang' }, 60)],
  [
    'half a PDF',
    'InvalidResponseError',
    download((request) => ({ fault: 'cut', text: `%PDF-1.7 ${everything(request)}` })),
  ],
  ['an address that is not of the web', 'InvalidResponseError', at(`ftp://files.example.com/a.pdf?${QUERY}`)],
  ['an invalid address', 'InvalidResponseError', at(`not a URL ${QUERY}`)],
  ['an address of nobody', 'ConnectionError', at(`https://files.invalid/a.pdf?${QUERY}`)],
  ['a host that is a name', 'ConnectionError', at(`https://${CANARIES.lastName}.invalid/a.pdf?${QUERY}`)],
  [
    'a host that is a name, and not of the web',
    'InvalidResponseError',
    at(`ftp://${CANARIES.lastName}.example/a.pdf`),
  ],
  [
    'an address with credentials',
    'ConnectionError',
    at(`https://u:${CANARIES.signature}@127.0.0.1:1/?${QUERY}`),
  ],
]

/** Documents whose signed URLs fail (§2.4). */
export const DOCUMENTS: readonly Provocation[] = ROWS.map(([title, error, provoke]) => ({
  title: `a document: ${title}`,
  error,
  provoke,
}))
