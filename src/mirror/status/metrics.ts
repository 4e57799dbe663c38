import type { MirrorStatus } from './status.js'

/** A time is written in seconds since 1970. `null` is left out. */
type Value = number | Date | null
type Sample = readonly [value: Value, labels: Readonly<Record<string, string>>]
type Metric = readonly [
  name: string,
  help: string,
  value: (status: MirrorStatus) => Value | readonly Sample[],
]

/** All metrics are gauges. Their names must not change, because dashboards and alarms use them. */
const METRICS: readonly Metric[] = [
  [
    'lag_seconds',
    'Age of the oldest cause of due, running or failed work, such as an event, or of an outage. Scheduled work counts only after a failure',
    ({ lagMs }) => lagMs / 1_000,
  ],
  ['backlog', 'Pieces of work that are due or running', ({ backlog }) => backlog],
  ['retrying', 'Pieces of work that wait for another attempt', ({ retrying }) => retrying],
  ['dead', 'Pieces of work that failed too often', ({ dead }) => dead],
  [
    'recovered_24h',
    'Changes of the last 24 hours whose events had not arrived when a sweep found them',
    ({ recovered24h }) => recovered24h,
  ],
  ['referrals', 'Referrals in the copy that are not deleted or gone', ({ referrals }) => referrals],
  ['results', 'Results in the copy that are not deleted or gone', ({ results }) => results],
  ['change_position', 'Position of the last change', ({ position }) => position],
  ['last_event_timestamp_seconds', 'Time of the last received event', ({ lastEventAt }) => lastEventAt],
  [
    'oldest_open_referral_timestamp_seconds',
    'Creation time of the oldest referral without a final status',
    ({ oldestOpen }) => oldestOpen?.createdAt ?? null,
  ],
  [
    'paused',
    'Organisations whose credentials the service rejects',
    ({ service }) => service.filter(({ state }) => state === 'rejected').length,
  ],
  [
    'service_reached',
    '1 if the last call of the service was answered, 0 during an outage',
    ({ service }) =>
      service
        .filter(({ state }) => state !== 'unknown')
        .map(({ organisation, state }) => [state === 'reached' ? 1 : 0, { organisation }]),
  ],
  [
    'service_reached_timestamp_seconds',
    'Time of the last answered call of the service, exact to a minute',
    ({ service }) => service.map(({ organisation, reachedAt }) => [reachedAt, { organisation }]),
  ],
  [
    'retrying_by_kind',
    'Pieces of work whose last attempt failed',
    ({ retries }) => retries.map(({ organisation, kind, count }) => [count, { organisation, kind }]),
  ],
  [
    'oldest_event_timestamp_seconds',
    'Time of the oldest event whose change is not in the copy yet',
    ({ oldestWaiting }) => oldestWaiting?.since ?? null,
  ],
  [
    'sweep_next_timestamp_seconds',
    'Planned start of the next run of each sweep',
    ({ sweeps }) => sweeps.map(({ organisation, name, nextAt }) => [nextAt, { organisation, sweep: name }]),
  ],
  [
    'backfill_read',
    'Records that the backfill has read',
    ({ sweeps }) =>
      sweeps
        .filter(({ name }) => name === 'backfill')
        .map(({ organisation, read }) => [read, { organisation }]),
  ],
  [
    'consumer_backlog',
    'Groups with undelivered changes, without the groups in consumer_dead',
    ({ consumers }) =>
      consumers.map(({ organisation, name, backlog }) => [backlog, { organisation, consumer: name }]),
  ],
  [
    'consumer_dead',
    'Groups whose handler failed too often',
    ({ consumers }) =>
      consumers.map(({ organisation, name, dead }) => [dead, { organisation, consumer: name }]),
  ],
  [
    'sweep_finished_timestamp_seconds',
    'End of the last run of each backfill and sweep',
    ({ sweeps }) =>
      sweeps.map(({ organisation, name, finishedAt }) => [finishedAt, { organisation, sweep: name }]),
  ],
  [
    'sweep_recovered',
    'Changes whose events had not arrived when the last run found them',
    ({ sweeps }) =>
      sweeps.map(({ organisation, name, recovered }) => [recovered, { organisation, sweep: name }]),
  ],
]

/** Converts a status to the text format of Prometheus. Labels need no escapes: names have no quotation marks. */
export function metricsText(status: MirrorStatus): string {
  const lines = METRICS.flatMap(([name, help, read]) => {
    const full = `pathology_mirror_${name}`
    const found = read(status)
    const isValue = found === null || typeof found === 'number' || found instanceof Date
    const samples: readonly Sample[] = isValue ? [[found, {}]] : found
    return [
      `# HELP ${full} ${help}`,
      `# TYPE ${full} gauge`,
      ...samples.flatMap((sample) => line(full, sample)),
    ]
  })
  return `${lines.join('\n')}\n`
}

function line(name: string, [value, labels]: Sample): readonly string[] {
  if (value === null) return []
  const texts = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
  const shown = texts.length === 0 ? '' : `{${texts.join(',')}}`
  return [`${name}${shown} ${typeof value === 'number' ? value : value.getTime() / 1_000}`]
}
