import { PathologyError, safeErrorName } from '../../common/errors.js'
import { SafeLogger } from '../../common/logger.js'
import { isKnownEventName, type WebhookEvent } from '../../contract/events.js'
import { UUID_PATTERN } from '../../contract/path-parameters.js'
import type { WebhookErrorInfo, WebhookReceiverOptions } from './options.js'
import { type Verdict, WEBHOOK_OUTCOMES } from './outcomes.js'

type Hooks = Pick<WebhookReceiverOptions, 'onError' | 'onUnknown' | 'logger'>

/** Tells the developer what happened. Nothing that a hook or a logger throws reaches a delivery. */
export class Reporter {
  readonly #hooks: Hooks
  readonly #logger: SafeLogger

  constructor(hooks: Hooks) {
    this.#hooks = hooks
    this.#logger = new SafeLogger(hooks.logger)
  }

  /** Warns of handlers for events that may never come: a slip of the pen looks like an event of a later version. */
  handlersOf(names: Iterable<string>): void {
    for (const name of names) {
      if (name === '*' || isKnownEventName(name)) continue
      this.#logger.warn(`createWebhookReceiver: on['${name}'] is no event that this version knows`)
    }
  }

  /** Reports a delivery that did not go well. */
  failure({ outcome, event, error }: Verdict): void {
    const { level, status } = WEBHOOK_OUTCOMES[outcome]
    if (level === undefined) return
    const line = `webhook ${outcome}${describeEvent(event)}, answered ${status}: ${describeError(error)}`
    this.#report(level, line, error, { outcome, status, event })
  }

  /** Reports a failure of the de-duplication store that came too late to change an answer. */
  storeFailure(error: unknown): void {
    const line = `webhook de-duplication store failed: ${describeError(error)}`
    this.#report('error', line, error, { outcome: 'store-unavailable', status: undefined, event: undefined })
  }

  /** Reports an event of a name this version does not know. */
  unknownEvent(event: WebhookEvent): void {
    quietly(() => this.#hooks.onUnknown?.(event))
  }

  #report(level: 'warn' | 'error', line: string, error: unknown, info: WebhookErrorInfo): void {
    this.#logger[level](line)
    quietly(() => this.#hooks.onError?.(error, info))
    const unheard = this.#hooks.logger === undefined && this.#hooks.onError === undefined
    if (level === 'error' && unheard) emitWarning(line)
  }
}

/** Names and ids only: what an event carries is a patient's. */
function describeEvent(event: WebhookEvent | undefined): string {
  if (event === undefined) return ''
  const name = isKnownEventName(event.eventName) ? event.eventName : 'an unknown event'
  const id = UUID_PATTERN.test(event.eventUuid) ? event.eventUuid : 'that is not a UUID'
  return ` (${name}, eventUuid ${id})`
}

/** Only this package's own messages are known to hold nothing personal. */
function describeError(error: unknown): string {
  if (error instanceof PathologyError) return error.message
  return `${error instanceof Error ? safeErrorName(error) : typeof error}; set onError to see it`
}

function quietly(hook: () => unknown): void {
  try {
    const result = hook()
    if (result instanceof Promise) result.catch(() => undefined)
  } catch {
    // A broken hook must not break a delivery.
  }
}

/** A failing endpoint must not be silent because nobody set a logger. */
function emitWarning(line: string): void {
  globalThis.process?.emitWarning?.(line, 'PathologyWebhookWarning')
}
