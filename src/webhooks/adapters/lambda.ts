import { isBytes } from '../../contract/realms.js'
import type { ReceiverCore } from '../receiver/core.js'
import { type RawBody, tooLarge } from '../verification/raw-body.js'
import { WebhookVerificationError } from '../verification/verification-error.js'

type HeaderRecord = Readonly<Record<string, string | undefined>>
type MultiHeaderRecord = Readonly<Record<string, string[] | undefined>>

/**
 * The part of an event that the handler uses. The event comes from API Gateway (payload 1.0 or 2.0), a function URL or
 * a load balancer.
 */
export interface LambdaRequestEvent {
  /** The HTTP method, in payload 1.0 and from load balancers. */
  readonly httpMethod?: string | undefined
  /** The headers, with one value each. */
  readonly headers?: HeaderRecord | null | undefined
  /**
   * All values of the headers, in payload 1.0 and from load balancers with multi-value headers. In payload 1.0,
   * `headers` contains only the last value of each header.
   */
  readonly multiValueHeaders?: MultiHeaderRecord | null | undefined
  /** The context with the HTTP method, in payload 2.0 and from function URLs. */
  readonly requestContext?: object | undefined
  /** The body as text, or as base64 if `isBase64Encoded` is `true`. */
  readonly body?: unknown
  /** The exact body, if a middleware has stored it and replaced `body`. */
  readonly rawBody?: unknown
  /** `true` when the body is base64. */
  readonly isBase64Encoded?: boolean | undefined
}

/** A response in a format that API Gateway, function URLs and load balancers accept. */
export interface LambdaResponse {
  /** The HTTP status. */
  readonly statusCode: number
  /** The headers, with names in lower case. */
  readonly headers: Record<string, string>
  /** The same headers with lists of values. Present if the event has `multiValueHeaders`. */
  readonly multiValueHeaders?: Record<string, string[]>
  /** JSON: see {@link WebhookResponse.body}. */
  readonly body: string
  /** `false`: the body is text. */
  readonly isBase64Encoded: false
}

/** The receiver as an AWS Lambda handler. */
export type LambdaReceiver = (event: LambdaRequestEvent) => Promise<LambdaResponse>

export function lambdaAdapter(core: ReceiverCore): LambdaReceiver {
  return async (event) => {
    const { status, headers, body } = await core.receive({
      method: event.httpMethod ?? methodOf(event.requestContext),
      headers: event.multiValueHeaders ?? event.headers,
      readBody: ({ maxBytes }) => readBody(event, maxBytes),
    })
    const multiValue = Object.entries(headers).map(([name, value]) => [name, [value]])
    return {
      statusCode: status,
      headers: { ...headers },
      ...(event.multiValueHeaders ? { multiValueHeaders: Object.fromEntries(multiValue) } : {}),
      body,
      isBase64Encoded: false,
    }
  }
}

/** Returns the method of payload 2.0, from `requestContext.http`. */
function methodOf(context: object | null | undefined): string | undefined {
  const http: unknown = Reflect.get(context ?? {}, 'http')
  if (typeof http !== 'object' || http === null || !('method' in http)) return undefined
  return typeof http.method === 'string' ? http.method : undefined
}

function readBody(event: LambdaRequestEvent, maxBytes: number): RawBody {
  const { body, rawBody } = event
  if (isBytes(rawBody)) return rawBody
  if (typeof rawBody === 'string' && rawBody !== '') return decoded(rawBody, event, maxBytes)
  if (typeof body === 'string') return decoded(body, event, maxBytes)
  if (body === null || body === undefined) return ''
  throw new WebhookVerificationError(
    'body-not-raw',
    'A middleware parsed the body before the receiver: call the receiver without this middleware, or keep the original text in event.rawBody.',
  )
}

function decoded(body: string, { isBase64Encoded }: LambdaRequestEvent, maxBytes: number): RawBody {
  if (isBase64Encoded !== true) return body
  // The length is checked before the body is decoded. Four base64 characters contain three bytes.
  if (body.length > Math.ceil(maxBytes / 3) * 4) throw tooLarge(maxBytes)
  // `Buffer` alone would skip what is not base64, and the signature of the rest would look wrong.
  return globalThis.Buffer.from(atob(body), 'latin1')
}
