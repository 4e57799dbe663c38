import { isPathologyError, safeErrorName } from '../../common/errors.js'
import { callQuietly, SafeLogger, sourceLocation } from '../../common/logger.js'
import { isKnownEventName, type WebhookEvent } from '../../contract/events.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { isVerificationError } from '../verification/verification-error.js'
import type { WebhookErrorInfo } from './options.js'
import { type DeliveryResult, WEBHOOK_OUTCOMES } from './outcomes.js'
import type { ResolvedReceiverOptions } from './resolve-options.js'

/** Reports failures to the logger and the hooks. An error in a hook or a logger never fails a delivery. */
export class Reporter {
  readonly #hooks: ResolvedReceiverOptions['hooks']
  readonly #logger: SafeLogger
  #hasWarned = false

  constructor({ hooks }: Pick<ResolvedReceiverOptions, 'hooks'>) {
    this.#hooks = hooks
    this.#logger = new SafeLogger(hooks.logger)
  }

  /** Warns about handlers for unknown event names, which can be misspelt. */
  warnOfUnknown(names: Iterable<string>): void {
    for (const name of names) {
      if (name.endsWith('*') || isKnownEventName(name)) continue
      this.#logger.warn(
        `createWebhookReceiver: on['${name}'] is not an event name known to this version of pathology-sdk; check its spelling`,
      )
    }
  }

  delivery({ outcome, event, error }: DeliveryResult): void {
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

  unknownEvent(event: WebhookEvent): void {
    callQuietly(() => this.#hooks.onUnknown?.(event))
  }

  #report(level: 'warn' | 'error', line: string, error: unknown, info: WebhookErrorInfo): void {
    this.#logger[level](line)
    callQuietly(() => this.#hooks.onError?.(error, info))
    if (this.#hooks.logger !== undefined || this.#hooks.onError !== undefined) return
    if (level === 'error') emitWarning(line)
    else if (isMismatch(error) && !this.#hasWarned) {
      // The warning is emitted only once, because anyone can send deliveries with an invalid signature.
      this.#hasWarned = true
      emitWarning(`${line} Further invalid signatures are not shown. Set logger or onError to get them.`)
    }
  }
}

/** Describes an event by a known name and a valid id, because any other text of an event can be personal. */
function describeEvent(event: WebhookEvent | undefined): string {
  if (event === undefined) return ''
  const name = isKnownEventName(event.eventName) ? event.eventName : 'an unknown event'
  const id = UUID_PATTERN.test(event.eventUuid) ? event.eventUuid : 'not shown, because it is not a UUID'
  return ` (${name}, eventUuid ${id})`
}

function isMismatch(error: unknown): boolean {
  return isVerificationError(error) && error.reason === 'signature-mismatch'
}

/** Describes an error by its message if the error is of this package. Any other message can contain personal data. */
function describeError(error: unknown): string {
  if (isPathologyError(error)) return error.message
  if (!(error instanceof Error)) return `${typeof error}; set onError to get the error`
  const location = sourceLocation(error)
  return `${safeErrorName(error)}${location === undefined ? '' : ` ${location}`}; set onError to get the error`
}

/** Emits a process warning, so that a failure is visible in an application without a logger and hooks. */
function emitWarning(line: string): void {
  globalThis.process?.emitWarning?.(line, 'PathologyWebhookWarning')
}
