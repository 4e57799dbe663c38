import { DeliverJob } from './changes/deliver.js'
import { storeBiomarkers } from './copy/biomarkers.js'
import { DocumentJob } from './copy/document-job.js'
import { DOCUMENT, Documents, wantLackingDocuments } from './copy/documents.js'
import { DeleteObjectJob, OBJECT } from './copy/object-store.js'
import { type PrepareHook, RefetchJob } from './copy/refetch.js'
import { type ClaimedRead, type StoreHook, storeBatch } from './copy/store-batch.js'
import { Batches } from './core/batches.js'
import type { MirrorContext } from './core/context.js'
import { CATALOGUE, CENTRES, ONLY_KEY, PROVIDERS, SWEEP } from './inbox/event-target.js'
import type { OpenedOptions } from './resolve-options.js'
import { isConflict, isDatabaseUnavailable } from './schema/mirror-database.js'
import { CLEAN_UP, CleanUpJob, cleanUpSchedules } from './status/clean-up.js'
import { sweepSchedules, wantFirstBackfill, wantLateRecent } from './sweep/sweeps.js'
import { DELIVER } from './work/claims.js'
import type { Schedule } from './work/schedules.js'
import type { Job } from './work/worker.js'

const DAY_MS = 86_400_000

/** Maximum number of records that one transaction stores after they were read by UUID. */
const STORED = 32

/**
 * Returns a job whose code is loaded at its first claim. A process that only receives webhooks never loads this code.
 */
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

/** One functional area of a mirror, such as documents or sweeps: its jobs, schedules and hooks. */
export interface Area {
  /** Jobs by kind of work. The worker claims only these kinds. */
  readonly jobs?: Readonly<Record<string, Job>> | undefined
  /** Work that becomes due regularly. */
  readonly schedules?: readonly Schedule[] | undefined
  /** Called before a record that was read by UUID is stored, for example to download its PDF. */
  readonly prepare?: PrepareHook | undefined
  /** Called at the start of the mirror, after its schedules are registered. */
  readonly started?: (() => Promise<void>) | undefined
  /** Called in the transaction that stores records, for example to store the biomarkers of results as rows. */
  readonly store?: StoreHook | undefined
}

/** Function that creates an area. `before` has the areas that were created earlier. */
type AreaFactory = (context: MirrorContext, options: OpenedOptions, before: readonly Area[]) => Area

/** All areas of a mirror. `records` and `sweeps` call the hooks of the areas before them. */
const AREAS: readonly AreaFactory[] = [
  biomarkers,
  documents,
  records,
  sweeps,
  centres,
  catalogue,
  deliveries,
  cleaning,
]

/** Creates all areas of a mirror. */
export function createAreas(context: MirrorContext, options: OpenedOptions): readonly Area[] {
  const areas: Area[] = []
  for (const create of AREAS) areas.push(create(context, options, areas))
  return areas
}

/** Creates the area that stores the biomarkers of results as rows. */
function biomarkers(): Area {
  return { store: storeBiomarkers }
}

/** Creates the area of the PDFs of referrals and results. */
function documents(
  context: MirrorContext,
  { documents: storage, fetchAttempts, sweep }: OpenedOptions,
): Area {
  if (storage === 'none') {
    const job = disabledJob(context)
    return { jobs: { [`${DOCUMENT}referral`]: job, [`${DOCUMENT}result`]: job } }
  }
  const store = storage === 'database' ? undefined : storage
  const copies = new Documents(context, store)
  return {
    jobs: {
      [`${DOCUMENT}referral`]: new DocumentJob(context, {
        documents: copies,
        kind: 'referral',
        attempts: fetchAttempts,
      }),
      [`${DOCUMENT}result`]: new DocumentJob(context, {
        documents: copies,
        kind: 'result',
        attempts: fetchAttempts,
      }),
      ...(store && { [OBJECT]: new DeleteObjectJob(context, { store }) }),
    },
    prepare: copies.prepare,
    store: copies.store,
    started: () => wantLackingDocuments(context, 1_000 / sweep.requestsPerSecond),
  }
}

/** Creates the area that reads referrals and results again by UUID. */
function records(context: MirrorContext, { fetchAttempts }: OpenedOptions, before: readonly Area[]): Area {
  const hooks = before.flatMap(({ store }) => store ?? [])
  const options = {
    attempts: fetchAttempts,
    prepare: before.flatMap(({ prepare }) => prepare ?? []),
    stores: new Batches<ClaimedRead>({
      process: (batch) => storeBatch(context, hooks, batch),
      most: STORED,
      isOfOneItem: (error) => isConflict(error) || !isDatabaseUnavailable(error),
    }),
  }
  return {
    jobs: {
      referral: new RefetchJob(context, { ...options, kind: 'referral' }),
      result: new RefetchJob(context, { ...options, kind: 'result' }),
    },
  }
}

/** Creates the area of backfills and sweeps. */
function sweeps(
  context: MirrorContext,
  { fetchAttempts, sweep }: OpenedOptions,
  before: readonly Area[],
): Area {
  const { openDays, window, requestsPerSecond } = sweep
  const limits = { windowMs: window, openMs: openDays * DAY_MS }
  const hooks = before.flatMap(({ store }) => store ?? [])
  return {
    jobs: {
      [SWEEP]: lazyJob(async () => {
        const { SweepJob } = await import('./sweep/sweep-job.js')
        return new SweepJob(context, { limits, requestsPerSecond, hooks, attempts: fetchAttempts })
      }),
    },
    schedules: sweepSchedules(context, sweep),
    started: async () => {
      await wantFirstBackfill(context)
      await wantLateRecent(context)
    },
  }
}

/**
 * Creates the area of the collection centres. All organisations share one directory, but each has its own schedule.
 * While the service rejects the credentials of one organisation, its work is paused, and another organisation reads the
 * directory.
 */
function centres(context: MirrorContext, { fetchAttempts, sweep }: OpenedOptions): Area {
  const everyMs = sweep.centres
  if (everyMs === false) return { jobs: { [CENTRES]: disabledJob(context) } }
  const kind = CENTRES
  const schedules = [...context.organisations.keys()].map((organisation) => ({
    name: `${organisation}/${kind}`,
    organisation,
    kind,
    key: ONLY_KEY,
    everyMs,
    isDueAtOnce: true,
  }))
  const job = lazyJob(async () => {
    const { CentresJob } = await import('./directory/centres.js')
    return new CentresJob(context, { attempts: fetchAttempts, everyMs })
  })
  return { jobs: { [kind]: job }, schedules }
}

/** Creates the area of the catalogue (tests, bundles, biomarkers and vendors) and of the doctors' records. */
function catalogue(context: MirrorContext, { fetchAttempts, sweep }: OpenedOptions): Area {
  const job = lazyJob(async () => {
    const { CatalogueJob } = await import('./directory/catalogue.js')
    return new CatalogueJob(context, { attempts: fetchAttempts })
  })
  return {
    jobs: { [CATALOGUE]: job, [PROVIDERS]: job },
    schedules: catalogueSchedules(context, sweep.everything),
  }
}

/** Creates the area that delivers changes to the consumers of this process. */
function deliveries(context: MirrorContext, options: OpenedOptions): Area {
  const { consumers, handlerTimeoutMs, handlerAttempts: attempts } = options
  const jobs = [...consumers.values()].map((consumer): [string, Job] => [
    `${DELIVER}${consumer.name}`,
    new DeliverJob(context, { consumer, handlerTimeoutMs, attempts }),
  ])
  return { jobs: Object.fromEntries(jobs) }
}

/** Creates the area that removes old events every day. If `history` is a number, clears bodies of old changes too. */
function cleaning(context: MirrorContext, { eventDays, history }: OpenedOptions): Area {
  return {
    jobs: { [CLEAN_UP]: new CleanUpJob(context, { eventDays, history }) },
    schedules: cleanUpSchedules(context),
  }
}

/**
 * Returns a job that finishes work of a disabled area. An event or an earlier configuration can have created the
 * work.
 */
function disabledJob({ database, table }: MirrorContext): Job {
  return {
    run: (claim) => table.finish(database, claim),
    fail: async (claim) => void (await table.postpone(database, claim, { delayMs: 1_000 })),
  }
}

/**
 * Returns schedules for the catalogue, once a day, and for the doctors' records, as often as the sweep `everything`. If
 * this sweep is disabled, the doctors' records have no schedule.
 */
function catalogueSchedules(
  { organisations }: MirrorContext,
  everythingMs: number | false,
): readonly Schedule[] {
  return [...organisations.keys()].flatMap((organisation) => {
    const schedule = (kind: string, everyMs: number): Schedule => ({
      name: `${organisation}/${kind}`,
      organisation,
      kind,
      key: ONLY_KEY,
      everyMs,
      isDueAtOnce: true,
    })
    const daily = schedule(CATALOGUE, DAY_MS)
    return everythingMs === false ? [daily] : [daily, schedule(PROVIDERS, everythingMs)]
  })
}
