import { DeliverJob } from './changes/deliver.js'
import { storeBiomarkers } from './copy/biomarkers.js'
import { DocumentJob } from './copy/document-job.js'
import { Documents, wantLackingDocuments } from './copy/documents.js'
import { DeleteObjectJob } from './copy/object-store.js'
import { RefetchJob } from './copy/refetch.js'
import { type ClaimedRead, storeBatch } from './copy/store-batch.js'
import { Batches } from './core/batches.js'
import type { MirrorContext } from './core/context.js'
import type { OpenedOptions } from './resolve-options.js'
import { isConflict, isDatabaseUnavailable } from './schema/mirror-database.js'
import { CleanUpJob } from './status/clean-up.js'
import type { ResolvedSweepOptions } from './sweep/options.js'
import { wantMissedSweeps } from './sweep/sweeps.js'
import {
  CATALOGUE,
  CENTRES,
  CLEAN_UP,
  DELIVER,
  DOCUMENT,
  OBJECT,
  ONLY_KEY,
  PROVIDERS,
  SWEEP,
} from './work/kinds.js'
import type { Schedule } from './work/schedules.js'
import type { Job } from './work/worker.js'

const DAY_MS = 86_400_000

/** Maximum number of records that one transaction stores after they were read by UUID. */
const STORED = 32

export interface MirrorWork {
  /** Jobs by kind of work. The worker claims only these kinds. */
  readonly jobs: ReadonlyMap<string, Job>
  /** Work that becomes due regularly. */
  readonly schedules: readonly Schedule[]
  /** Called at the start of the mirror, after its schedules are registered. */
  readonly started: () => Promise<void>
}

export function createWork(context: MirrorContext, options: OpenedOptions): MirrorWork {
  const { documents: storage, sweep } = options
  const store = typeof storage === 'object' ? storage : undefined
  const documents = storage === 'none' ? undefined : new Documents(context, store)
  const hooks = [storeBiomarkers, ...(documents ? [documents.store] : [])]
  const stores = new Batches<ClaimedRead>({
    process: (batch) => storeBatch(context, hooks, batch),
    most: STORED,
    isOfOneItem: (error) => isConflict(error) || !isDatabaseUnavailable(error),
  })
  const read = { prepare: documents?.prepare, stores }
  const jobs = new Map<string, Job>([
    ['referral', new RefetchJob(context, { ...read, kind: 'referral' })],
    ['result', new RefetchJob(context, { ...read, kind: 'result' })],
    [
      SWEEP,
      lazyJob(async () => new (await import('./sweep/sweep-job.js')).SweepJob(context, { sweep, hooks })),
    ],
    [CLEAN_UP, new CleanUpJob(context, options)],
  ])
  for (const kind of ['referral', 'result'] as const) {
    const job = documents && new DocumentJob(context, { documents, kind })
    jobs.set(`${DOCUMENT}${kind}`, job ?? disabledJob(context))
  }
  if (store !== undefined) jobs.set(OBJECT, new DeleteObjectJob(context, { store }))
  const catalogue = lazyJob(
    async () => new (await import('./directory/catalogue.js')).CatalogueJob(context, undefined),
  )
  for (const kind of [CATALOGUE, PROVIDERS]) jobs.set(kind, catalogue)
  const { centres: everyMs } = sweep
  const centres = lazyJob(
    async () =>
      new (await import('./directory/centres.js')).CentresJob(context, { everyMs: Number(everyMs) }),
  )
  jobs.set(CENTRES, everyMs === false ? disabledJob(context) : centres)
  for (const consumer of options.consumers.values())
    jobs.set(`${DELIVER}${consumer.name}`, new DeliverJob(context, { ...options, consumer }))
  return {
    jobs,
    schedules: schedulesOf(context, sweep),
    started: async () => {
      if (documents !== undefined) await wantLackingDocuments(context, 1_000 / sweep.requestsPerSecond)
      await wantMissedSweeps(context)
    },
  }
}

/** Returns a job whose code is loaded at its first claim. A process that only receives webhooks never loads it. */
function lazyJob(load: () => Promise<Job>): Job {
  let job: Promise<Job> | undefined
  const get = (): Promise<Job> => {
    job ??= load()
    return job
  }
  return {
    run: async (claim, signal) => (await get()).run(claim, signal),
    fail: async (claim, error, signal) => (await get()).fail(claim, error, signal),
  }
}

/** Returns a job that finishes disabled work. An event or an earlier configuration can have created the work. */
function disabledJob({ database, table }: MirrorContext): Job {
  return {
    run: (claim) => table.finish(database, claim),
    fail: async (claim) => void (await table.postpone(database, claim, { delayMs: 1_000 })),
  }
}

function schedulesOf({ organisations }: MirrorContext, sweep: ResolvedSweepOptions): readonly Schedule[] {
  const schedules = [
    { kind: SWEEP, key: 'recent', everyMs: sweep.recent },
    { kind: SWEEP, key: 'open', everyMs: sweep.open },
    { kind: SWEEP, key: 'everything', everyMs: sweep.everything },
    { kind: CENTRES, key: ONLY_KEY, everyMs: sweep.centres, isDueAtOnce: true },
    { kind: CATALOGUE, key: ONLY_KEY, everyMs: DAY_MS, isDueAtOnce: true },
    { kind: PROVIDERS, key: ONLY_KEY, everyMs: sweep.everything, isDueAtOnce: true },
    { kind: CLEAN_UP, key: ONLY_KEY, everyMs: DAY_MS },
  ]
  return [...organisations.keys()].flatMap((organisation) =>
    schedules.flatMap(({ everyMs, isDueAtOnce = false, ...work }) =>
      everyMs === false ? [] : [{ organisation, ...work, everyMs, isDueAtOnce }],
    ),
  )
}
