import { type Clock, systemClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { isRecord, ownOptions } from '../../common/known-options.js'
import { EVENT_NAMES } from '../../contract/events.js'
import { WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
import { similarName } from '../../contract/similar.js'
import { listSecrets } from '../verification/hmac.js'
import { isRecordClient, type RecordClient } from './current-record.js'
import { type DedupeStore, memoryDedupeStore } from './dedupe-store.js'
import type { WebhookHandler, WebhookReceiverOptions } from './options.js'

/** The options of a receiver, checked and with defaults. */
export interface ResolvedReceiverOptions {
  readonly secrets: readonly string[]
  /** Handlers by event name, and `'*'`. */
  readonly handlers: ReadonlyMap<string, WebhookHandler>
  readonly enqueue: WebhookHandler | undefined
  readonly client: RecordClient | undefined
  readonly dedupe: DedupeStore | undefined
  readonly dedupeTtlMs: number
  readonly timeoutMs: number
  readonly maxBodyBytes: number
  readonly clock: Clock
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof WebhookReceiverOptions>([
  'secret',
  'on',
  'mode',
  'enqueue',
  'client',
  'dedupe',
  'dedupeTtl',
  'timeout',
  'maxBodyBytes',
  'onUnknown',
  'onError',
  'logger',
  'clock',
])

/** Names that an error message may contain. Any other name could be a value that was passed as a name. */
const SHOWN_NAME = /^(?:\*|[\w.* -]{0,40}(?:referral|result|centre)[\w.* -]{0,40})$/i

/** The format of every event name. A name can be unknown, because the service may add names. */
const EVENT_NAME = /^(\*|(?:referral|result)\.\*|[\w-]+(\.[\w-]+)+)$/

/** Names of handlers known to this version. */
const HANDLER_NAMES = [...EVENT_NAMES, 'referral.*', 'result.*']

/**
 * Returns a copy of the own properties of a receiver's options.
 *
 * @throws {@link ConfigurationError} if they are not an object, or an option is unknown.
 */
export function ownReceiverOptions(options: WebhookReceiverOptions): WebhookReceiverOptions {
  return ownOptions('createWebhookReceiver', options, OPTION_NAMES)
}

/**
 * Checks a receiver's options and adds the defaults.
 *
 * @throws {@link ConfigurationError} with the option and its rule.
 * @throws {@link WebhookVerificationError} for a secret that is missing or has white space around it.
 */
export function resolveReceiverOptions(options: WebhookReceiverOptions): ResolvedReceiverOptions {
  for (const name of ['onUnknown', 'onError'] as const) {
    demand(options[name] === undefined || isFunction(options[name]), `${name} must be a function`)
  }
  const clock = options.clock ?? systemClock
  return {
    secrets: listSecrets(options.secret),
    ...readWork(options),
    client: readClient(options.client),
    dedupe: readDedupe(options.dedupe, clock),
    dedupeTtlMs: readInteger('dedupeTtl', options.dedupeTtl, 86_400_000),
    timeoutMs: readInteger('timeout', options.timeout, 2_500, WEBHOOK_RESPONSE_MS),
    maxBodyBytes: readInteger('maxBodyBytes', options.maxBodyBytes, 1_048_576),
    clock,
  }
}

function readWork(options: WebhookReceiverOptions): Pick<ResolvedReceiverOptions, 'handlers' | 'enqueue'> {
  const { enqueue, mode = enqueue === undefined ? 'inline' : 'enqueue', on = {} } = options
  demand(mode === 'inline' || mode === 'enqueue', "mode must be 'inline' or 'enqueue'")
  demand(
    isFunction(enqueue) === (mode === 'enqueue'),
    "mode 'enqueue' requires the function enqueue, and mode 'inline' does not accept it",
  )
  demand(isRecord(on), 'on must be an object of handlers by event name')
  const handlers = new Map<string, WebhookHandler>()
  for (const [name, handler] of Object.entries(on)) {
    if (handler === undefined) continue
    const shown = SHOWN_NAME.test(name) ? `on['${name}']` : 'a name in on'
    const meant = similarName(name, HANDLER_NAMES)
    demand(meant === undefined, `${shown} is not an event name; did you mean ${meant}?`)
    const rule = 'is not an event name: use a name such as referral.issued, in lower case'
    demand(EVENT_NAME.test(name), `${shown} ${rule}`)
    demand(isFunction(handler), `${shown} must be a function`)
    handlers.set(name, handler)
  }
  demand(mode === 'enqueue' || handlers.size > 0, 'on must have at least one handler')
  return { handlers, enqueue }
}

function readClient(client: RecordClient | undefined): RecordClient | undefined {
  const isUsable = client === undefined || isRecordClient(client)
  demand(isUsable, 'client must have the functions referrals.retrieve and results.retrieve')
  return client
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

function readInteger(name: string, value: number | undefined, fallback: number, most?: number): number {
  const number = value ?? fallback
  const bounded = most === undefined || number <= most
  const rule = `${name} must be an integer of at least 1${most === undefined ? '' : ` and at most ${most}`}`
  demand(Number.isSafeInteger(number) && number >= 1 && bounded, rule)
  return number
}

function isFunction(value: unknown): value is WebhookHandler {
  return typeof value === 'function'
}

function demand(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new ConfigurationError(`createWebhookReceiver: ${rule}`)
}
