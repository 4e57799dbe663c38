/** Which part of the service is asked: each has an origin or a path of its own. */
export type Door = 'api' | 'auth' | 'documents'

/** A request as every door hands it to the core. */
export interface FakeRequest {
  readonly door: Door
  readonly method: string
  /** Path and query, relative to the door's base. */
  readonly target: string
  /** In lower case; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What goes wrong on the wire with an answer (see {@link Fault}). */
export type WireEffect =
  | { readonly kind: 'none' }
  /** The connection is reset in place of an answer, or after half the body. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'mid-body' }
  /** The connection is closed in order after half the body. */
  | { readonly kind: 'truncate' }
  /** Something comes that is no HTTP. */
  | { readonly kind: 'garbage' }
  /** Nothing comes, or nothing more after half the body. */
  | { readonly kind: 'stall'; readonly when: 'headers' | 'body' }
  /** The body comes a few bytes at a time. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }

export const NO_EFFECT: WireEffect = { kind: 'none' }

/** The core's answer, for a door to send. */
export interface FakeAnswer {
  readonly status: number
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly wire: WireEffect
}

/** An answer as a handler of the core makes it: the core adds the headers that all answers have. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** The error code, for the journal. */
  readonly code?: string
}

/** A JSON reply. */
export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

/** An error in the API's envelope (§7). */
export function errorReply(
  status: number,
  code: string,
  message: string,
  errorList: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { ...jsonReply(status, { error: true, code, message, errorList }, headers), code }
}
