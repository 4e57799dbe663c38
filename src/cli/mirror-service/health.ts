import type { MirrorStatus } from '../../mirror/index.js'

const STATES = ['rejected', 'outage', 'failed', 'late', 'copying', 'healthy'] as const

/** State of a mirror in one word. The first one that applies is shown. */
export type HealthState = (typeof STATES)[number]

export function isHealthState(value: unknown): value is HealthState {
  return STATES.some((state) => state === value)
}

/** Returns `false` for a state in which the copy is not kept up to date. */
export function isSound(state: HealthState): boolean {
  return state === 'late' || state === 'copying' || state === 'healthy'
}

/** A problem, and what to do about it. */
export interface Problem {
  readonly what: string
  readonly todo: string
}

/** State of a mirror for the person who operates it. */
export interface Health {
  readonly state: HealthState
  /** All problems, the most important one first. */
  readonly problems: readonly Problem[]
}

/** Lag above which a mirror is late, in milliseconds. */
const LATE_MS = 60_000

/** Returns the state of a mirror in one word, with its problems. */
export function healthOf(status: MirrorStatus): Health {
  const found: readonly (readonly [HealthState, readonly Problem[]])[] = [
    ['rejected', outages(status, 'rejected')],
    ['outage', outages(status, 'unreachable')],
    ['failed', failures(status)],
    ['late', lateness(status)],
  ]
  const problems = found.flatMap(([, own]) => own)
  const state = found.find(([, own]) => own.length > 0)?.[0]
  return {
    state: state ?? (isCopied(status) ? 'healthy' : 'copying'),
    problems: [...problems, ...hints(status)],
  }
}

/** Returns `true` when the first backfill of every organisation has finished. */
export function isCopied({ sweeps, service }: MirrorStatus): boolean {
  const finished = new Set(
    sweeps
      .filter(({ name, state }) => name === 'backfill' && state === 'finished')
      .map((run) => run.organisation),
  )
  return service.every(({ organisation }) => finished.has(organisation))
}

function outages({ service }: MirrorStatus, wanted: 'rejected' | 'unreachable'): readonly Problem[] {
  const outage = service.filter(({ state }) => state === wanted)
  return outage.map(({ organisation, failingSince, reachedAt, error }) => {
    const verb = wanted === 'rejected' ? 'rejects the credentials of' : 'cannot be reached for'
    const last = reachedAt === null ? 'It was never reached' : `It was last reached at ${iso(reachedAt)}`
    return {
      what: `The service ${verb} ${organisation} since ${iso(failingSince)} (${error ?? 'unknown error'}). ${last}. The copy is not updated`,
      todo:
        wanted === 'rejected'
          ? 'Check the client id and the secret of this organisation with npx pathology doctor, and restart with the right ones. Nothing is lost: all work then continues by itself'
          : 'Check the network and the URL with npx pathology doctor, and the status of the service. Nothing is lost: a call is tried at least every 30 s, and all work then continues by itself',
    }
  })
}

function failures({ dead, sweeps }: MirrorStatus): readonly Problem[] {
  const stopped = sweeps.filter(({ state }) => state === 'stopped')
  return [
    ...(dead === 0
      ? []
      : [
          {
            what: `${dead} pieces of work failed too often, and are not tried again`,
            todo: 'Show them with npx pathology mirror dead. Fix the cause, then revive them with npx pathology mirror dead --retry. If the database is a directory, stop mirror serve first',
          },
        ]),
    ...stopped.map(({ name, organisation }) => ({
      what: `The ${name === 'backfill' ? name : `sweep ${name}`} of ${organisation} stopped before its end`,
      todo: `Fix the cause in the log, then run npx pathology mirror ${name === 'backfill' ? name : `sweep ${name}`}`,
    })),
  ]
}

function lateness({ lagMs, oldestWaiting, service, retries }: MirrorStatus): readonly Problem[] {
  if (lagMs <= LATE_MS || service.some(({ failingSince }) => failingSince !== null)) return []
  const [most] = retries
  const reason =
    most === undefined ? '' : `. Most often failed: ${most.kind} (${most.error ?? 'unknown error'})`
  const oldest =
    oldestWaiting === undefined ? '' : `. The oldest event arrived at ${iso(oldestWaiting.since)}`
  return [
    {
      what: `The oldest work waits for ${Math.round(lagMs / 1_000)} s${oldest}${reason}`,
      todo: 'Look for errors in the log. If there are none, add processes or concurrency',
    },
  ]
}

/** Returns advice that does not change the state. */
function hints({ recovered24h }: MirrorStatus): readonly Problem[] {
  if (recovered24h === 0) return []
  return [
    {
      what: `Sweeps found ${recovered24h} changes in the last 24 hours whose events had not arrived. The copy has these changes`,
      todo: 'Check the URL of the webhook and its events with npx pathology doctor',
    },
  ]
}

function iso(time: Date | null): string {
  return time === null ? 'an unknown time' : time.toISOString()
}
