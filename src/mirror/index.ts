/**
 * Keeps a durable copy of referrals and results in Postgres, and calls handlers for each change.
 *
 * @module pathology-sdk/mirror
 */

export { ConfigurationError, isPathologyError, PathologyError } from '../common/errors.js'
export type { Logger } from '../common/logger.js'
export type { DatabaseSource } from '../database/open.js'
export type { PGliteInstance } from '../database/pglite.js'
export type { PGliteResult, PGliteTransaction } from '../database/pglite-plans.js'
export type { PgPool, PgPoolClient, PgResult } from '../database/pool.js'
export type { Change, ChangeAction, ChangeBase, ReferralChange, ResultChange } from './changes/change.js'
export type { DeadLetters, DeadSelection, DeadWork } from './changes/dead.js'
export type { FeedOptions } from './changes/feed.js'
export type {
  ChangeHandler,
  ChangeHandlers,
  ConsumerOptions,
  HandlerContext,
  HandlerTransaction,
} from './changes/handlers.js'
export type { ReplayOptions } from './changes/replay.js'
export type { DocumentCopies, DocumentSelection } from './copy/document-bytes.js'
export type { DocumentStorage, ObjectStore } from './copy/object-store.js'
export type { RecordKind } from './copy/record-kinds.js'
export type { CentreDirectory, NearestCentresOptions } from './directory/centre-directory.js'
export type { Mirror } from './mirror.js'
export { createMirror } from './mirror.js'
export type { MirrorOptions, OrganisationOptions } from './options.js'
export type { MigrationMode } from './schema/schema-change.js'
export type { EraseOptions, EraseReport } from './status/erase.js'
export type { HistoryOptions, RecordHistory } from './status/history.js'
export type { RetryStatus, ServicePart, ServiceStatus, WaitingEvent } from './status/service.js'
export type { ConsumerStatus, MirrorStatus, SweepStatus } from './status/status.js'
export type { SweepOptions } from './sweep/options.js'
export type { SweepName, SweepReport } from './sweep/report.js'
export type { BackfillOptions, SweepRunOptions } from './sweep/sweeps.js'
export type { VerifyDifference, VerifyOptions, VerifyReport } from './sweep/verify.js'
export type { Source } from './work/work-table.js'
