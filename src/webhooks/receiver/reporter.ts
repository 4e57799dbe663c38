import { PathologyError, safeErrorName } from '../../common/errors.js'
import { SafeLogger } from '../../common/logger.js'
import { isKnownEventName, type WebhookEvent } from '../../contract/events.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { WebhookVerificationError } from '../verification/verification-error.js'
import type { WebhookErrorInfo, WebhookReceiverOptions } from './options.js'
import { type DeliveryResult, WEBHOOK_OUTCOMES } from './outcomes.js'

type Hooks = Pick<WebhookReceiverOptions, 'onError' | 'onUnknown' | 'logger'>

/** Reports failures to the logger and the hooks. An error in a hook or a logger never fails a delivery. */
export class Reporter {
  readonly #hooks: Hooks
  readonly #logger: SafeLogger
  /** `true` when a signature did not match and a process warning was shown. */
  #hasWarned = false

  constructor(hooks: Hooks) {
    this.#hooks = hooks
    this.#logger = new SafeLogger(hooks.logger)
  }

  /** Warns about handlers for unknown event names, which can be misspelt. */
  warnOfUnknown(names: Iterable<string>): void {
    for (const name of names) {
      if (name.endsWith('*') || isKnownEventName(name)) continue
      this.#logger.warn(`createWebhookReceiver: on['${name}'] is not an event name known to this version`)
    }
  }

  /** Reports a failed delivery. */
  failure({ outcome, event, error }: DeliveryResult): void {
    const { level, status } = WEBHOOK_OUTCOMES[outcome]
    if (level === undefined) return
    const line = `webhook ${outcome}${describeEvent(event)}, response ${status}: ${describeError(error)}`
    this.#report(level, line, error, { outcome, status, event })
  }

  /** Reports a failure of the de-duplication store that does not change a response. */
  storeFailure(error: unknown): void {
    const line = `webhook de-duplication store failed: ${describeError(error)}`
    this.#report('error', line, error, { outcome: 'store-unavailable', status: undefined, event: undefined })
  }

  /** Reports an event with a name unknown to this version. */
  unknownEvent(event: WebhookEvent): void {
    quietly(() => this.#hooks.onUnknown?.(event))
  }

  #report(level: 'warn' | 'error', line: string, error: unknown, info: WebhookErrorInfo): void {
    this.#logger[level](line)
    quietly(() => this.#hooks.onError?.(error, info))
    if (this.#hooks.logger !== undefined || this.#hooks.onError !== undefined) return
    if (level === 'error') emitWarning(line)
    else if (isMismatch(error) && !this.#hasWarned) {
      // Once, because anyone can send such deliveries.
      this.#hasWarned = true
      emitWarning(`${line} Further deliveries of this kind are not shown: set logger or onError.`)
    }
  }
}

/** Known names and ids only, because the data of an event is personal. */
function describeEvent(event: WebhookEvent | undefined): string {
  if (event === undefined) return ''
  const name = isKnownEventName(event.eventName) ? event.eventName : 'an unknown event'
  const id = UUID_PATTERN.test(event.eventUuid) ? event.eventUuid : 'is not a UUID'
  return ` (${name}, eventUuid ${id})`
}

function isMismatch(error: unknown): boolean {
  return error instanceof WebhookVerificationError && error.reason === 'signature-mismatch'
}

/** Only messages of this package are known to contain no personal data. */
function describeError(error: unknown): string {
  if (error instanceof PathologyError) return error.message
  if (!(error instanceof Error)) return `${typeof error}; set onError to get the error`
  const place = placeOf(error)
  return `${safeErrorName(error)}${place === undefined ? '' : ` ${place}`}; set onError to get the error`
}

/** A line of a stack trace: a function and a place, or a place alone. */
const STACK_LINE =
  /^ {4}(at (?:[\w$.<>[\] ]{1,100} \()?(?:file:\/\/\/?|node:|\/|[A-Za-z]:\\)[^\s()]{1,200}:\d+:\d+\)?)$/

/** Start of a stack trace before the message. */
const STACK_HEAD = /^[\w$.]{1,100}(?: \[\w+\])?(?:: )?$/

/**
 * Returns the first line of an error's stack trace. The message comes before it and can be personal, so a stack without
 * exactly this message shows no line.
 */
function placeOf({ stack, message }: Error): string | undefined {
  if (typeof stack !== 'string' || typeof message !== 'string') return undefined
  const start = message === '' ? stack.indexOf('\n') : stack.indexOf(message)
  if (start === -1 || !STACK_HEAD.test(stack.slice(0, start))) return undefined
  const [rest, first = ''] = stack.slice(start + message.length).split('\n', 2)
  return rest === '' ? STACK_LINE.exec(first)?.[1] : undefined
}

function quietly(hook: () => unknown): void {
  try {
    const result = hook()
    if (result instanceof Promise) result.catch(() => undefined)
  } catch {
    // An error in a hook must not fail the delivery.
  }
}

/** Without a logger or hook, failures become process warnings, so that they are visible. */
function emitWarning(line: string): void {
  globalThis.process?.emitWarning?.(line, 'PathologyWebhookWarning')
}
