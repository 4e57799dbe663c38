import { type Clock, systemClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { isRecord, ownOptions } from '../../common/known-options.js'
import { EVENT_NAMES } from '../../contract/events.js'
import { WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
import { isAbortSignal } from '../../contract/realms.js'
import { similarName } from '../../contract/similar.js'
import { listSecrets } from '../verification/signature.js'
import { isRecordClient, type RecordClient } from './current-record.js'
import { DEFAULT_TTL_MS, type DedupeStore, memoryDedupeStore, namedStore } from './dedupe-store.js'
import type { DispatchOptions, WebhookHandler, WebhookReceiverOptions } from './options.js'

/** The options of a receiver after the checks, with the defaults. */
export interface ResolvedReceiverOptions {
  readonly hooks: Pick<WebhookReceiverOptions, 'onError' | 'onUnknown' | 'logger'>
  readonly secrets: readonly string[]
  /** Handlers by the names in the option `on`. */
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
  'name',
  'dedupeTtl',
  'timeout',
  'maxBodyBytes',
  'onUnknown',
  'onError',
  'logger',
  'clock',
])

/** Names that an error message may show. Any other text could be data that was passed by mistake. */
const SHOWN_NAME = /^(?:\*|[\w.* -]{0,40}(?:referral|result|centre)[\w.* -]{0,40})$/i

/** Format of the names in `on`. The format also accepts event names that the service may add. */
const EVENT_NAME = /^(\*|(?:referral|result)\.\*|[a-z0-9_-]+(\.[a-z0-9_-]+)+)$/

/** Format of the option `name`. */
const RECEIVER_NAME = /^[\w.-]{1,40}$/

/** Names of handlers known to this version. */
const HANDLER_NAMES = [...EVENT_NAMES, 'referral.*', 'result.*']

/**
 * Checks a receiver's options and adds the defaults.
 *
 * @throws {@link ConfigurationError} with the option and its rule.
 * @throws {@link WebhookVerificationError} for a secret that is missing, or that begins or ends with white space.
 */
export function resolveReceiverOptions(given: WebhookReceiverOptions): ResolvedReceiverOptions {
  const options = ownOptions('createWebhookReceiver', given, OPTION_NAMES)
  for (const name of ['onUnknown', 'onError'] as const) {
    requireThat(options[name] === undefined || isFunction(options[name]), `${name} must be a function`)
  }
  const { clock = systemClock, onError, onUnknown, logger } = options
  return {
    hooks: { onError, onUnknown, logger },
    secrets: listSecrets(options.secret),
    ...readHandlers(options),
    client: readClient(options.client),
    dedupe: readNamed(readDedupe(options.dedupe, clock), options.name),
    dedupeTtlMs: readInteger('dedupeTtl', options.dedupeTtl, DEFAULT_TTL_MS),
    timeoutMs: readInteger('timeout', options.timeout, 2_500, WEBHOOK_RESPONSE_MS),
    maxBodyBytes: readInteger('maxBodyBytes', options.maxBodyBytes, 1_048_576),
    clock,
  }
}

const DISPATCH_OPTION_NAMES: ReadonlySet<string> = new Set<keyof DispatchOptions>([
  'signal',
  'previousFailures',
])

/**
 * Checks the options of `dispatch` and adds the defaults.
 *
 * @throws {@link ConfigurationError} with the option and its rule.
 */
export function resolveDispatchOptions(options: DispatchOptions): {
  readonly signal: AbortSignal
  readonly previousFailures: number
} {
  const own = ownOptions('dispatch', options, DISPATCH_OPTION_NAMES)
  const { signal = new AbortController().signal, previousFailures = 0 } = own
  requireThat(isAbortSignal(signal), 'signal must be an AbortSignal', 'dispatch')
  const isCount = Number.isSafeInteger(previousFailures) && previousFailures >= 0
  requireThat(isCount, 'previousFailures must be an integer of at least 0', 'dispatch')
  return { signal, previousFailures }
}

function readHandlers(
  options: WebhookReceiverOptions,
): Pick<ResolvedReceiverOptions, 'handlers' | 'enqueue'> {
  const { enqueue, mode = enqueue === undefined ? 'inline' : 'enqueue', on = {} } = options
  requireThat(mode === 'inline' || mode === 'enqueue', "mode must be 'inline' or 'enqueue'")
  requireThat(
    isFunction(enqueue) === (mode === 'enqueue'),
    "mode 'enqueue' requires the function enqueue, and mode 'inline' does not accept it",
  )
  requireThat(isRecord(on), 'on must be an object of handlers by event name')
  const handlers = new Map<string, WebhookHandler>()
  for (const [name, handler] of Object.entries(on)) {
    if (handler === undefined) continue
    const shown = SHOWN_NAME.test(name) ? `on['${name}']` : 'a name in the option on'
    const meant = similarName(name, HANDLER_NAMES)
    requireThat(meant === undefined, `${shown} is not an event name; did you mean ${meant}?`)
    const rule = 'is not an event name: use a name such as referral.issued, in lower case'
    requireThat(EVENT_NAME.test(name), `${shown} ${rule}`)
    requireThat(isFunction(handler), `${shown} must be a function`)
    handlers.set(name, handler)
  }
  requireThat(mode === 'enqueue' || handlers.size > 0, 'on must have at least one handler')
  return { handlers, enqueue }
}

function readClient(client: RecordClient | undefined): RecordClient | undefined {
  const isUsable = client === undefined || isRecordClient(client)
  requireThat(isUsable, 'client must have the functions referrals.retrieve and results.retrieve')
  return client
}

function readDedupe(dedupe: DedupeStore | false | undefined, clock: Clock): DedupeStore | undefined {
  if (dedupe === false) return undefined
  if (dedupe === undefined) return memoryDedupeStore({ clock })
  requireThat(
    isFunction(dedupe?.claim) && isFunction(dedupe.release),
    'dedupe must have the functions claim and release',
  )
  requireThat(
    isFunction(dedupe.confirm) === isFunction(dedupe.isConfirmed),
    'dedupe must have both confirm and isConfirmed, or neither',
  )
  return dedupe
}

function readNamed(store: DedupeStore | undefined, name: string | undefined): DedupeStore | undefined {
  if (name === undefined) return store
  const isName = typeof name === 'string' && RECEIVER_NAME.test(name)
  requireThat(isName, 'name must have 1 to 40 letters, digits, _, - or .')
  requireThat(
    store !== undefined,
    'name must be absent with dedupe: false, because it names entries of the store',
  )
  return namedStore(store, name)
}

function readInteger(name: string, value: number | undefined, fallback: number, most?: number): number {
  const number = value ?? fallback
  const bounded = most === undefined || number <= most
  const rule = `${name} must be an integer of at least 1${most === undefined ? '' : ` and at most ${most}`}`
  requireThat(Number.isSafeInteger(number) && number >= 1 && bounded, rule)
  return number
}

function isFunction(value: unknown): value is WebhookHandler {
  return typeof value === 'function'
}

function requireThat(holds: boolean, rule: string, owner = 'createWebhookReceiver'): asserts holds {
  if (!holds) throw new ConfigurationError(`${owner}: ${rule}`)
}
