import { ownOptions } from '../../common/known-options.js'
import type { WebhookEvent } from '../../contract/events.js'
import { type FastifyReceiver, fastifyAdapter } from '../adapters/fastify.js'
import { type FetchReceiver, fetchAdapter } from '../adapters/fetch.js'
import { type LambdaReceiver, lambdaAdapter } from '../adapters/lambda.js'
import { type NodeReceiver, nodeAdapter } from '../adapters/node.js'
import { parseWebhookEvent } from '../envelope.js'
import type { WebhookHeaders } from '../headers.js'
import type { RawBody } from '../raw-body.js'
import { ReceiverCore } from './core.js'
import type { DispatchOptions, WebhookReceiverOptions } from './options.js'
import type { WebhookResponse } from './outcomes.js'
import { Reporter } from './reporter.js'
import { ownReceiverOptions, readSettings } from './settings.js'

/** A delivery whose body is at hand. */
export interface WebhookRequest {
  /** When given, anything but `POST` is refused. */
  readonly method?: string | undefined
  /** In any shape that `verifyWebhook` takes. */
  readonly headers: WebhookHeaders
  /** The exact bytes received. */
  readonly body: RawBody
}

/** Receives webhook deliveries, in the form each kind of server asks for. None of its functions needs `this`. */
export interface WebhookReceiver {
  /** For any other server: takes the request apart and gives the answer to write. Never rejects. */
  readonly receive: (request: WebhookRequest) => Promise<WebhookResponse>
  /** Next.js, Hono, Bun, Deno, Workers: `export const POST = receiver.fetch`. */
  readonly fetch: FetchReceiver
  /**
   * `node:http`, Express and Connect. When a body parser ran before, it works only if that kept the bytes
   * in `request.rawBody` (or made nothing but bytes or text of them); otherwise it answers 500 and reports why.
   */
  readonly node: NodeReceiver
  /** A Fastify plugin with content type parsing of its own: `app.register(receiver.fastify, { path })`. */
  readonly fastify: FastifyReceiver
  /** AWS Lambda behind API Gateway (payload 1.0 or 2.0), a function URL or a load balancer. */
  readonly lambda: LambdaReceiver
  /**
   * Runs the handler in `on` for an event that was verified before: call it from the worker of the queue that
   * `enqueue` fills. One event at a time for each entity in this process; deliveries that are only enqueued do not wait.
   *
   * @param event - As `enqueue` had it; what came out of a queue as JSON is one by `parseWebhookEvent(row)`.
   * @returns Rejects with what the handler rejects with. Resolves at once when no handler is registered.
   * @throws {@link WebhookVerificationError} with reason `envelope-invalid` for what is no event.
   */
  readonly dispatch: (event: WebhookEvent, options?: DispatchOptions) => Promise<void>
}

/**
 * Makes a receiver of webhook deliveries: it verifies them, lets each event through once, hands it to your
 * handler or queue, and answers before the service gives up waiting (§6).
 *
 * - Handled, enqueued, a duplicate, or without a handler: 200.
 * - Handler or queue failed, or had not finished by the deadline: 500, and the event's claim is released, so
 *   that the service's next attempt runs it again. (5 attempts in all, about 1, 4, 9 and 16 minutes apart.)
 * - The same event, or an earlier one of its referral or result, still being handled at the deadline: 409. The handler has
 *   not begun, and nothing is claimed.
 * - De-duplication store out of order: 503.
 * - Signature missing or wrong: 401. Signed but not an event: 400. Too large: 413. Body too slow: 408.
 *   Not POST: 405.
 *
 * @throws {@link ConfigurationError} that names the option and its rule.
 * @throws {@link WebhookVerificationError} for a secret that is missing or has white space around it.
 *
 * @example
 * ```ts
 * const receiver = createWebhookReceiver({
 *   secret: process.env.SIGNING_SECRET,
 *   on: {
 *     'result.complete': async ({ data }) => {
 *       if (data.uuid !== undefined) await save(await client.results.retrieve(data.uuid))
 *     },
 *   },
 * })
 * http.createServer(receiver.node).listen(8080)
 * ```
 */
export function createWebhookReceiver(given: WebhookReceiverOptions): WebhookReceiver {
  const options = ownReceiverOptions(given)
  const settings = readSettings(options)
  const { onError, onUnknown, logger } = options
  const reporter = new Reporter({ onError, onUnknown, logger })
  reporter.handlersOf(settings.handlers.keys())
  const core = new ReceiverCore(settings, reporter)
  return {
    receive: ({ method, headers, body }) => core.receive({ method, headers, readBody: () => body }),
    fetch: fetchAdapter(core),
    node: nodeAdapter(core),
    fastify: fastifyAdapter(core),
    lambda: lambdaAdapter(core),
    dispatch: async (event, dispatchOptions = {}) => {
      const { signal = new AbortController().signal, previousFailures: failures = 0 } = ownOptions(
        'dispatch',
        dispatchOptions,
      )
      return core.processor.dispatch(parseWebhookEvent(event), {
        signal,
        deliveredAt: undefined,
        previousFailures: failures,
      })
    },
  }
}
