import { type Clock, systemClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/configuration-error.js'
import { isRecord, ownOptions } from '../../common/known-options.js'
import { isKnownEventName } from '../../contract/events.js'
import { WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
import { listSecrets } from '../secrets.js'
import type { DedupeStore } from './dedupe.js'
import { memoryDedupeStore } from './memory-dedupe.js'
import type { WebhookHandler, WebhookReceiverOptions } from './options.js'

/** A receiver's options, checked and complete. */
export interface ReceiverSettings {
  readonly secrets: readonly string[]
  /** By event name and `'*'`. */
  readonly handlers: ReadonlyMap<string, WebhookHandler>
  readonly enqueue: WebhookHandler | undefined
  readonly dedupe: DedupeStore | undefined
  readonly dedupeTtlMs: number
  readonly deadlineMs: number
  readonly maxBodyBytes: number
  readonly clock: Clock
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof WebhookReceiverOptions>([
  'secret',
  'on',
  'mode',
  'enqueue',
  'dedupe',
  'dedupeTtl',
  'timeout',
  'maxBodyBytes',
  'onUnknown',
  'onError',
  'logger',
  'clock',
])

/** The form of every name so far; a name need not be known (§6). */
/** Names that are shown when they are refused: another may be a value that came to stand in the place of a name. */
const SHOWN_NAME = /^(?:\*|[\w.* -]{0,40}(?:referral|result|centre)[\w.* -]{0,40})$/i

const EVENT_NAME = /^(\*|[\w-]+(\.[\w-]+)+)$/

/**
 * Returns a copy of a receiver's options, of which only own properties count.
 *
 * @throws {@link ConfigurationError} when they are not an object, or one of them is unknown.
 */
export function ownReceiverOptions(options: WebhookReceiverOptions): WebhookReceiverOptions {
  return ownOptions('createWebhookReceiver', options, OPTION_NAMES)
}

/**
 * @throws {@link ConfigurationError} that names the option and its rule.
 * @throws {@link WebhookVerificationError} for a secret that is missing or has white space around it.
 */
export function readSettings(options: WebhookReceiverOptions): ReceiverSettings {
  for (const name of ['onUnknown', 'onError'] as const) {
    demand(options[name] === undefined || isFunction(options[name]), `${name} must be a function`)
  }
  const clock = options.clock ?? systemClock
  return {
    secrets: listSecrets(options.secret),
    ...readWork(options),
    dedupe: readDedupe(options.dedupe, clock),
    dedupeTtlMs: readWhole('dedupeTtl', options.dedupeTtl, 86_400_000),
    deadlineMs: readWhole('timeout', options.timeout, 2_500, WEBHOOK_RESPONSE_MS),
    maxBodyBytes: readWhole('maxBodyBytes', options.maxBodyBytes, 1_048_576),
    clock,
  }
}

function readWork(options: WebhookReceiverOptions): Pick<ReceiverSettings, 'handlers' | 'enqueue'> {
  const { enqueue, mode = enqueue === undefined ? 'inline' : 'enqueue', on = {} } = options
  demand(mode === 'inline' || mode === 'enqueue', "mode must be 'inline' or 'enqueue'")
  demand(
    isFunction(enqueue) === (mode === 'enqueue'),
    "mode 'enqueue' needs the function enqueue, and no other mode takes it",
  )
  demand(isRecord(on), 'on must be an object of handlers by event name')
  const handlers = new Map<string, WebhookHandler>()
  for (const [name, handler] of Object.entries(on)) {
    if (handler === undefined) continue
    const lower = name.toLowerCase()
    const isSlip = !EVENT_NAME.test(name) || (lower !== name && isKnownEventName(lower))
    const shown = SHOWN_NAME.test(name) ? `on['${name}']` : 'a name in on'
    demand(!isSlip, `${shown} is no event name: they are like referral.issued, in lower case`)
    demand(isFunction(handler), `${shown} must be a function`)
    handlers.set(name, handler)
  }
  demand(mode === 'enqueue' || handlers.size > 0, 'on must have at least one handler')
  return { handlers, enqueue }
}

function readDedupe(dedupe: DedupeStore | false | undefined, clock: Clock): DedupeStore | undefined {
  if (dedupe === false) return undefined
  if (dedupe === undefined) return memoryDedupeStore({ clock })
  demand(
    isFunction(dedupe?.claim) && isFunction(dedupe.release),
    'dedupe must have the functions claim and release',
  )
  demand(
    isFunction(dedupe.confirm) === isFunction(dedupe.isConfirmed),
    'dedupe must have both confirm and isConfirmed, or neither',
  )
  return dedupe
}

function readWhole(name: string, value: number | undefined, fallback: number, most?: number): number {
  const number = value ?? fallback
  const bounded = most === undefined || number <= most
  const rule = `${name} must be a whole number of at least 1${most === undefined ? '' : ` and at most ${most}`}`
  demand(Number.isSafeInteger(number) && number >= 1 && bounded, rule)
  return number
}

function isFunction(value: unknown): value is WebhookHandler {
  return typeof value === 'function'
}

function demand(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new ConfigurationError(`createWebhookReceiver: ${rule}`)
}
