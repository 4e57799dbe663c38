import type { WebhookEvent } from '../contract/events.js'
import { type FastifyReceiver, fastifyAdapter } from './adapters/fastify.js'
import { type FetchReceiver, fetchAdapter } from './adapters/fetch.js'
import { type LambdaReceiver, lambdaAdapter } from './adapters/lambda.js'
import { type NodeReceiver, nodeAdapter } from './adapters/node.js'
import { ReceiverCore } from './receiver/core.js'
import type { DispatchOptions, WebhookReceiverOptions } from './receiver/options.js'
import type { WebhookResponse } from './receiver/outcomes.js'
import { Reporter } from './receiver/reporter.js'
import { resolveDispatchOptions, resolveReceiverOptions } from './receiver/resolve-options.js'
import { parseWebhookEvent } from './verification/envelope.js'
import type { WebhookHeaders } from './verification/headers.js'
import type { RawBody } from './verification/raw-body.js'

/** A request with its complete body. */
export interface WebhookRequest {
  /** The HTTP method, in upper or lower case. Any method except `POST` gets a 405. An absent method is not checked. */
  readonly method?: string | undefined
  /** The headers in any shape that `verifyWebhook` accepts. */
  readonly headers: WebhookHeaders
  /** The exact bytes received. */
  readonly body: RawBody
}

/** Receiver of webhook deliveries, with a function for each kind of server. No function uses `this`. */
export interface WebhookReceiver {
  /**
   * Handler for servers for which this package has no adapter. Takes the request and returns the response to send.
   * Never rejects.
   */
  readonly receive: (request: WebhookRequest) => Promise<WebhookResponse>
  /** Handler for Next.js, Hono, Bun, Deno and Workers: `export const POST = receiver.fetch`. */
  readonly fetch: FetchReceiver
  /**
   * Handler for `node:http`, Express and Connect. Mount it before body parsers. After one, it needs the exact body as
   * bytes or text in `request.rawBody` or `request.body`; otherwise it responds with 500 and reports the reason.
   */
  readonly node: NodeReceiver
  /** Fastify plugin with its own content type parser: `app.register(receiver.fastify, { path })`. */
  readonly fastify: FastifyReceiver
  /** Handler for AWS Lambda behind API Gateway (payload 1.0 or 2.0), a function URL or a load balancer. */
  readonly lambda: LambdaReceiver
  /**
   * Runs the handler in `on` for an event that was verified earlier: call it in the worker of your queue. This receiver
   * runs one handler at a time for each referral or result, so don't await `dispatch` in a handler for the same record:
   * each would wait for the other. Only a delivery's handler that has exceeded the timeout is not waited for.
   * Deliveries to `enqueue` never wait for `dispatch`.
   *
   * It doesn't detect duplicates: if your queue delivers an event twice, the handler runs twice.
   *
   * @param event - The event that `enqueue` received. Use `parseWebhookEvent(row)` for JSON from a queue.
   * @returns Resolves when the handler has finished, or if `on` has no handler for the event. Rejects with the
   * handler's error. If `signal` aborts before the handler starts, rejects with the signal's reason.
   * @throws {@link WebhookVerificationError} if `event` is not an event, with the reasons of `parseWebhookEvent`.
   * @throws {@link ConfigurationError} for an invalid option.
   */
  readonly dispatch: (event: WebhookEvent, options?: DispatchOptions) => Promise<void>
}

/**
 * Creates a receiver of webhook deliveries. The receiver verifies each delivery, removes duplicates, calls your handler
 * or queue, and responds within the option `timeout`. It responds with one of these statuses:
 *
 * - 200: handled, enqueued, a duplicate, or an event without a handler.
 * - 500: the handler or the queue failed, or the handler did not finish within the timeout. The event's claim is
 *   released. Also 500: the receiver cannot verify the delivery, for example because other code has parsed the body.
 * - 409: the same event is still being handled, or is still claimed, for example by a process that has ended. Also 409:
 *   the event could not be claimed in time, or this receiver is still handling an earlier event of the same referral or
 *   result. This delivery did not call the handler, and does not hold a claim.
 * - 503: the de-duplication store failed, the store or the queue did not respond within the timeout, or a mirror could
 *   not store the event.
 * - 401: the signature is missing or invalid, or the headers cannot be read.
 * - 400: the body is empty, cannot be read, or is signed but not an event.
 * - 405: the method is not POST.
 * - 408: the body did not arrive within the timeout.
 * - 413: the body is larger than `maxBodyBytes`.
 *
 * After any status except 2xx, the service sends the event again. The service makes 5 attempts in total, about 1, 4, 9
 * and 16 minutes apart.
 *
 * @throws {@link ConfigurationError} with the option and its rule.
 * @throws {@link WebhookVerificationError} for a secret that is missing, or that begins or ends with white space.
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
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const resolved = resolveReceiverOptions(options)
  const reporter = new Reporter(resolved)
  reporter.warnOfUnknown(resolved.handlers.keys())
  const core = new ReceiverCore(resolved, reporter)
  return {
    receive: ({ method, headers, body }) => core.receive({ method, headers, readBody: () => body }),
    fetch: fetchAdapter(core),
    node: nodeAdapter(core),
    fastify: fastifyAdapter(core),
    lambda: lambdaAdapter(core),
    dispatch: async (event, dispatchOptions = {}) => {
      const { signal, previousFailures } = resolveDispatchOptions(dispatchOptions)
      const context = { signal, deliveredAt: undefined, previousFailures }
      return core.processor.dispatch(parseWebhookEvent(event), context)
    },
  }
}
