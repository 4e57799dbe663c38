/** Maximum number of redirects that `fetch` follows. */
export const MAX_REDIRECTS = 20

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type']
const ORIGIN_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** Returns `true` when `fetch` returns this response. Otherwise, `fetch` follows the redirect or rejects. */
export function isReturned({ status, headers }: Response, redirect: Request['redirect']): boolean {
  if (redirect === 'manual' || !REDIRECT_STATUSES.has(status)) return true
  return redirect === 'follow' && !headers.has('location')
}

/**
 * Creates the request that follows a redirect, by the rules of the Fetch standard.
 *
 * @param body - Body of `request`, which has already been read.
 * @throws TypeError - The Location of `response` is not a valid URL.
 */
export function redirectedRequest(request: Request, body: Uint8Array, response: Response): Request {
  const { url, method, signal } = request
  const { status } = response
  const target = new URL(response.headers.get('location') ?? '', url)
  const isRead = method === 'GET' || method === 'HEAD'
  const becomesGet = status === 303 ? !isRead : status < 303 && method === 'POST'
  const headers = new Headers(request.headers)
  if (becomesGet) for (const name of BODY_HEADERS) headers.delete(name)
  if (target.origin !== new URL(url).origin) for (const name of ORIGIN_HEADERS) headers.delete(name)
  if (becomesGet) return new Request(target, { headers, signal })
  return new Request(target, { method, headers, body: body.byteLength === 0 ? null : body, signal })
}
