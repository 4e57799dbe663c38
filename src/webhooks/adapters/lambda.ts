import { type RawBody, tooLarge } from '../raw-body.js'
import type { ReceiverCore } from '../receiver/core.js'

type HeaderRecord = Readonly<Record<string, string | undefined>>
type MultiHeaderRecord = Readonly<Record<string, string[] | undefined>>

/** What is used of an event of API Gateway (payload 1.0 and 2.0), a function URL or a load balancer. */
export interface LambdaRequestEvent {
  /** Payload 1.0 and load balancers. */
  readonly httpMethod?: string | undefined
  /** Headers, one value each. */
  readonly headers?: HeaderRecord | null | undefined
  /** Payload 1.0, where `headers` holds only the last of several values. */
  readonly multiValueHeaders?: MultiHeaderRecord | null | undefined
  /** Payload 2.0 and function URLs. */
  readonly requestContext?: object | undefined
  /** The body as text, or as base64 where `isBase64Encoded` says so. */
  readonly body?: string | null | undefined
  /** Whether `body` is base64. */
  readonly isBase64Encoded?: boolean | undefined
}

/** An answer in the form that all of them take. */
export interface LambdaResponse {
  /** The HTTP status. */
  readonly statusCode: number
  /** Headers, names in lower case. */
  readonly headers: Record<string, string>
  /** For load balancers that are set to several values a header. */
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
    const several = Object.entries(headers).map(([name, value]) => [name, [value]])
    return {
      statusCode: status,
      headers: { ...headers },
      ...(event.multiValueHeaders ? { multiValueHeaders: Object.fromEntries(several) } : {}),
      body,
      isBase64Encoded: false,
    }
  }
}

/** Payload 2.0 has it in `requestContext.http`. */
function methodOf(context: object | null | undefined): string | undefined {
  const http: unknown = Reflect.get(context ?? {}, 'http')
  if (typeof http !== 'object' || http === null || !('method' in http)) return undefined
  return typeof http.method === 'string' ? http.method : undefined
}

function readBody({ body, isBase64Encoded }: LambdaRequestEvent, maxBytes: number): RawBody {
  if (typeof body !== 'string') return ''
  if (isBase64Encoded !== true) return body
  // Four characters are three bytes.
  if (body.length > Math.ceil(maxBytes / 3) * 4) throw tooLarge(maxBytes)
  const binary = atob(body)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}
