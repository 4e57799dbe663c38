import type { PathologyClient } from '../../client/client.js'
import { PathologyError } from '../../common/errors.js'
import type { LimitedLog, SafeLogger } from '../../common/logger.js'
import type { WebhookSecrets } from '../../webhooks/verification/signature.js'
import type { MirrorDatabase } from '../schema/mirror-database.js'
import type { ServiceContact } from '../work/contact.js'
import type { WorkTable } from '../work/work-table.js'

export interface Organisation {
  readonly name: string
  readonly client: PathologyClient
  readonly secret: WebhookSecrets | undefined
}

export interface MirrorContext {
  readonly database: MirrorDatabase
  readonly table: WorkTable
  /** Whether the service was reached, for each organisation. */
  readonly contact: ServiceContact
  readonly organisations: ReadonlyMap<string, Organisation>
  /** Number of failed attempts after which a read of the service is dead. */
  readonly fetchAttempts: number
  readonly logger: SafeLogger
  /** Log of failed work on single records and objects: at most one line a minute. */
  readonly failedWork: LimitedLog
  /** Called at each step of the mirror's work, for tests. */
  readonly point: PointHook
  /** Number of the advisory lock that puts the positions of changes into the order of their commits. */
  readonly changeLock: bigint
  /** Makes the worker of this process claim due work now. Other processes are notified if `listen` is set. */
  readonly wake: () => void
}

/** Returns the organisation of a claim. Only work of the organisations of this mirror is claimed. */
export function organisationOf(
  { organisations }: Pick<MirrorContext, 'organisations'>,
  name: string,
): Organisation {
  const organisation = organisations.get(name)
  if (organisation === undefined) throw new Error(`the mirror has no organisation ${name}`)
  return organisation
}

/**
 * Returns the names of all organisations of the mirror. With `only`, returns only this name.
 *
 * @throws {@link PathologyError} with the code `UNKNOWN_ORGANISATION` if the mirror has no organisation `only`.
 */
export function namesOf(
  { organisations }: Pick<MirrorContext, 'organisations'>,
  only: string | undefined,
): readonly string[] {
  if (only === undefined) return [...organisations.keys()]
  if (organisations.has(only)) return [only]
  throw new PathologyError(
    `The mirror has no organisation ${only}. Nothing was read or changed. Use a name from the options of createMirror.`,
    { code: 'UNKNOWN_ORGANISATION' },
  )
}

/**
 * Steps of the mirror's work, in order. Tests stop a process at each step. A step with `before` is before the event's
 * transaction or the read. `store:loaded` is after the locks are acquired, before the stored records are loaded.
 * `receive:collected` and `store:collected` begin a batch of events or of records. Every other step is directly after the work that its name states.
 */
export const POINTS = [
  'receive:before',
  'receive:collected',
  'receive:committed',
  'claimed',
  'fetch:before',
  'fetch:after',
  'store:collected',
  'store:loaded',
  'store:written',
  'store:finished',
  'store:appended',
  'store:committed',
  'document:read',
  'document:downloaded',
  'document:stored',
  'document:committed',
  'deliver:read',
  'deliver:begun',
  'deliver:handled',
  'deliver:advanced',
  'deliver:committed',
] as const

export type Point = (typeof POINTS)[number]

/** Function that is called at each step. In a test, the function can wait, throw or end the process. */
export type PointHook = (point: Point) => void | Promise<void>
