/** Part of the service that a request addresses. Each part has an origin or a path prefix of its own. */
export type ServicePart = 'api' | 'auth' | 'documents'

/** Base URL of each part of the service. */
export interface Origins {
  readonly api: string
  /** The token endpoint is `/oauth/token` under this URL. */
  readonly auth: string
  readonly documents: string
}

/** A request, independent of the transport that received it. */
export interface FakeRequest {
  readonly part: ServicePart
  readonly method: string
  /** Path and query, relative to the part's base URL. */
  readonly target: string
  /** Names in lower case. The transport reduces repeated headers to one value. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Effect of a fault on the transport of a response (see `Fault`). */
export type TransportEffect =
  | { readonly kind: 'none' }
  /** Reset the connection instead of responding, or after half the body. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'mid-body' }
  /** Close the connection normally after half the body. */
  | { readonly kind: 'truncate' }
  /** Send bytes that are not HTTP. */
  | { readonly kind: 'garbage' }
  /** Send nothing, or nothing more after half the body. */
  | { readonly kind: 'stall'; readonly when: 'headers' | 'body' }
  /** Send the body a few bytes at a time. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }

export const NO_EFFECT: TransportEffect = { kind: 'none' }

/** A response without the headers that all responses share. */
export interface ResponseDraft {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Error code, for the request journal. */
  readonly code?: string
}

/** A complete response for a transport to send. */
export interface FakeResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly effect: TransportEffect
}

/** The fake as transports use it. */
export interface FakeServer {
  readonly origins: Origins
  readonly options: { readonly maxBodyBytes: number; readonly compression: boolean }
  /** Aborts when the fake closes. Every wait must then end. */
  readonly closed: AbortSignal
  handleRequest(request: FakeRequest): Promise<FakeResponse>
}

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ResponseDraft {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

/** Creates an error response with the envelope of the API (§7). */
export function errorResponse(
  status: number,
  code: string,
  message: string,
  errorList: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): ResponseDraft {
  return { ...jsonResponse(status, { error: true, code, message, errorList }, headers), code }
}
