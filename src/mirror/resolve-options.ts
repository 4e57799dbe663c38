import type { PathologyClient } from '../client/client.js'
import { ConfigurationError } from '../common/errors.js'
import { isRecord, ownOptions } from '../common/known-options.js'
import { SafeLogger } from '../common/logger.js'
import type { Database } from '../database/database.js'
import { checkedName } from '../database/names.js'
import { checkSource, type DatabaseSource } from '../database/open.js'
import type { ChangeHandlers, Consumer } from './changes/handlers.js'
import { type DocumentStorage, isStorage } from './copy/object-store.js'
import type { Organisation } from './core/context.js'
import { ANY, BOOLEAN, checkedOptions, integer, type Rule } from './core/option-rules.js'
import type { MirrorOptions } from './options.js'
import type { MigrationMode } from './schema/schema-change.js'
import { MAX_DAYS, type ResolvedSweepOptions, resolveSweepOptions } from './sweep/options.js'

/** The checked options of a mirror. Options whose default depends on the database can still be `undefined`. */
export interface ResolvedMirrorOptions {
  readonly source: DatabaseSource
  readonly schema: string
  readonly organisations: ReadonlyMap<string, Organisation>
  readonly consumers: ReadonlyMap<string, Consumer>
  readonly concurrency: number | undefined
  readonly leaseMs: number
  readonly pollMs: number
  readonly listen: boolean
  readonly fetchAttempts: number
  readonly handlerAttempts: number
  readonly handlerTimeoutMs: number | undefined
  readonly migrations: MigrationMode
  readonly sweep: ResolvedSweepOptions
  readonly documents: DocumentStorage
  readonly history: 'keep' | number
  readonly eventDays: number
  readonly rowSecurity: boolean
  readonly logger: SafeLogger
}

/** Name of the organisation of the option `client`, and name of the consumer with the handlers in `on`. */
export const DEFAULT_NAME = 'default'

const DEFAULT_FOLDER = './pathology-mirror'

const DAYS = integer(1, MAX_DAYS)

const RULES: Readonly<Record<keyof MirrorOptions, Rule>> = {
  database: ANY,
  schema: ANY,
  client: ANY,
  secret: ANY,
  organisations: ANY,
  on: ANY,
  consumers: ANY,
  attempts: ANY,
  sweep: ANY,
  logger: ANY,
  concurrency: integer(0, 64),
  lease: integer(1_000, 86_400_000),
  poll: integer(10, 3_600_000),
  listen: BOOLEAN,
  handlerTimeout: integer(1, 600_000),
  migrations: { isValid: (value) => value === 'auto' || value === 'manual', text: "'auto' or 'manual'" },
  documents: {
    isValid: isStorage,
    text: "'database', 'none', or an object with the functions put, get and delete",
  },
  history: { ...DAYS, isValid: (value) => value === 'keep' || DAYS.isValid(value) },
  eventDays: DAYS,
  rowSecurity: BOOLEAN,
}

const HANDLER_NAMES: ReadonlySet<string> = new Set<keyof ChangeHandlers>(['referral', 'result', '*'])

/**
 * Checks the options of a mirror and adds the defaults.
 *
 * @throws {@link ConfigurationError} for an invalid option. The message names the option and its rule.
 */
export function resolveMirrorOptions(given: MirrorOptions): ResolvedMirrorOptions {
  const options = checkedOptions('createMirror', given, RULES)
  const { database = DEFAULT_FOLDER, documents = 'database', history = 'keep' } = options
  checkSource('createMirror', database)
  const attempts = checkedOptions(
    'attempts of createMirror',
    options.attempts ?? {},
    { fetch: integer(1), handler: integer(1) },
    'createMirror: attempts.',
  )
  return {
    source: database,
    schema: checkedName('createMirror: schema', options.schema ?? 'pathology'),
    organisations: readOrganisations(options),
    consumers: readConsumers(options),
    concurrency: options.concurrency,
    leaseMs: options.lease ?? 60_000,
    pollMs: options.poll ?? 500,
    listen: options.listen ?? false,
    fetchAttempts: attempts.fetch ?? 12,
    handlerAttempts: attempts.handler ?? 12,
    handlerTimeoutMs: options.handlerTimeout,
    migrations: options.migrations ?? 'auto',
    sweep: resolveSweepOptions(options.sweep),
    documents,
    rowSecurity: options.rowSecurity ?? false,
    history,
    eventDays: options.eventDays ?? 30,
    logger: new SafeLogger(options.logger),
  }
}

function readOrganisations(options: MirrorOptions): ReadonlyMap<string, Organisation> {
  const { client, secret, organisations } = options
  demand(
    (client === undefined) !== (organisations === undefined),
    'either client or organisations is required, and not both',
  )
  demand(
    organisations === undefined || secret === undefined,
    'with organisations, secret must be set in each organisation',
  )
  const given = organisations ?? { [DEFAULT_NAME]: { client, secret } }
  demand(isRecord(given), 'organisations must be an object of organisations by name')
  const found = new Map<string, Organisation>()
  for (const [name, value] of Object.entries(given)) {
    checkedName('createMirror: the name of an organisation', name)
    const own = ownOptions(`organisations.${name}`, value, new Set(['client', 'secret']))
    demand(isClient(own.client), `the client of ${name} must be a PathologyClient`)
    found.set(name, { name, client: own.client, secret: own.secret })
  }
  demand(found.size > 0, 'organisations must have at least one organisation')
  return found
}

function readConsumers({ on, consumers = {} }: MirrorOptions): ReadonlyMap<string, Consumer> {
  const found = new Map<string, Consumer>()
  if (on !== undefined) {
    found.set(DEFAULT_NAME, { name: DEFAULT_NAME, handlers: readHandlers('on', on), fromBeginning: true })
  }
  demand(isRecord(consumers), 'consumers must be an object of consumers by name')
  for (const [name, value] of Object.entries(consumers)) {
    checkedName('createMirror: the name of a consumer', name)
    demand(!found.has(name), `the consumer ${name} is defined twice: by on and by consumers`)
    const { on: handlers, from = 'now' } = ownOptions(`consumers.${name}`, value, new Set(['on', 'from']))
    demand(from === 'now' || from === 'beginning', `from of ${name} must be 'now' or 'beginning'`)
    found.set(name, {
      name,
      handlers: readHandlers(`on of ${name}`, handlers),
      fromBeginning: from === 'beginning',
    })
  }
  return found
}

function readHandlers(owner: string, handlers: unknown): ChangeHandlers {
  demand(isRecord(handlers), `${owner} must be an object of handlers`)
  const own: ChangeHandlers = ownOptions(owner, handlers, HANDLER_NAMES)
  const functions = Object.values(own).filter((handler) => handler !== undefined)
  demand(
    functions.length > 0 && functions.every((handler) => typeof handler === 'function'),
    `${owner} must have at least one handler (referral, result or *), and each handler must be a function`,
  )
  return own
}

function isClient(value: unknown): value is PathologyClient {
  if (typeof value !== 'object' || value === null) return false
  return ['referrals', 'results'].every((name) => typeof Reflect.get(value, name) === 'object')
}

function demand(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new ConfigurationError(`createMirror: ${rule}`)
}

/** Number of connections for receiving, claiming and listening. Each running piece of work needs one more. */
const OTHER_CONNECTIONS = 3

const DEFAULTS = {
  postgres: { concurrency: 4, handlerTimeoutMs: 30_000 },
  // A handler holds the only connection, and the receiver needs this connection to store an event within 2 s.
  pglite: { concurrency: 1, handlerTimeoutMs: 1_000 },
} as const

/** The options of a mirror whose database is open. Each option has a value. */
export interface OpenedOptions extends ResolvedMirrorOptions {
  readonly concurrency: number
  readonly handlerTimeoutMs: number
}

/** Adds the defaults that depend on the database. */
export function openedOptions(options: ResolvedMirrorOptions, { kind }: Database): OpenedOptions {
  const { concurrency, handlerTimeoutMs } = DEFAULTS[kind]
  return {
    ...options,
    concurrency: options.concurrency ?? concurrency,
    handlerTimeoutMs: options.handlerTimeoutMs ?? handlerTimeoutMs,
  }
}

export function requiredConnections(concurrency: number): number {
  return concurrency + OTHER_CONNECTIONS
}

/**
 * Checks the size of the pool. With too few connections, pieces of work would wait for each other.
 *
 * @throws {@link ConfigurationError} if the pool is too small.
 */
export function checkPool({ maxConnections }: Database, { concurrency }: OpenedOptions): void {
  const required = requiredConnections(concurrency)
  if (maxConnections === undefined || maxConnections >= required) return
  throw new ConfigurationError(
    `createMirror: the pool has at most ${maxConnections} connections, and concurrency ${concurrency} requires at least ${required}. Nothing was started. Increase max of the pool, or reduce concurrency`,
    { code: 'POOL_TOO_SMALL' },
  )
}
