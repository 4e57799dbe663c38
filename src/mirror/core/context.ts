import type { PathologyClient } from '../../client/client.js'
import type { SafeLogger } from '../../common/logger.js'
import type { WebhookSecrets } from '../../webhooks/verification/signature.js'
import type { MirrorDatabase } from '../schema/mirror-database.js'
import type { PointHook } from '../work/points.js'
import type { WorkTable } from '../work/work-table.js'

/** An organisation of a mirror. */
export interface Organisation {
  readonly name: string
  readonly client: PathologyClient
  readonly secret: WebhookSecrets | undefined
}

/** Parts that all areas of a mirror share. */
export interface MirrorContext {
  readonly database: MirrorDatabase
  readonly table: WorkTable
  readonly organisations: ReadonlyMap<string, Organisation>
  readonly logger: SafeLogger
  /** Steps of the flows, for tests. */
  readonly point: PointHook
  /** Number of the advisory lock that orders changes. */
  readonly changeLock: bigint
  /** Makes the worker of this machine look for work now. Other machines are notified if `listen` is set. */
  readonly wake: () => void
}

/** Returns the organisation of a claim. Only work of the organisations of this mirror is claimed. */
export function organisationOf(
  { organisations }: Pick<MirrorContext, 'organisations'>,
  name: string,
): Organisation {
  const organisation = organisations.get(name)
  if (organisation === undefined) throw new Error(`no organisation ${name}`)
  return organisation
}
