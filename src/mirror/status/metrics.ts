import type { MirrorStatus } from './status.js'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [value: number, labels?: Labels]

interface Metric {
  readonly name: string
  readonly help: string
  readonly samples: (status: MirrorStatus) => readonly Sample[]
}

const seconds = (time: Date | null): readonly Sample[] => (time === null ? [] : [[time.getTime() / 1_000]])

/** All metrics are gauges. Their names must not change, because dashboards and alarms use them. */
const METRICS: readonly Metric[] = [
  {
    name: 'lag_seconds',
    help: 'Age of the oldest cause of due, running or failed work, such as an event, or of an outage. Scheduled work counts only after a failure',
    samples: ({ lagMs }) => [[lagMs / 1_000]],
  },
  { name: 'backlog', help: 'Pieces of work that are due or running', samples: ({ backlog }) => [[backlog]] },
  {
    name: 'retrying',
    help: 'Pieces of work that wait for another attempt',
    samples: ({ retrying }) => [[retrying]],
  },
  { name: 'dead', help: 'Pieces of work that failed too often', samples: ({ dead }) => [[dead]] },
  {
    name: 'recovered_24h',
    help: 'Changes of the last 24 hours whose events had not arrived when a sweep found them',
    samples: ({ recovered24h }) => [[recovered24h]],
  },
  {
    name: 'referrals',
    help: 'Referrals in the copy that are not deleted or gone',
    samples: ({ referrals }) => [[referrals]],
  },
  {
    name: 'results',
    help: 'Results in the copy that are not deleted or gone',
    samples: ({ results }) => [[results]],
  },
  { name: 'change_position', help: 'Position of the last change', samples: ({ position }) => [[position]] },
  {
    name: 'last_event_timestamp_seconds',
    help: 'Time of the last received event',
    samples: ({ lastEventAt }) => seconds(lastEventAt),
  },
  {
    name: 'oldest_open_referral_timestamp_seconds',
    help: 'Creation time of the oldest referral without a final status',
    samples: ({ oldestOpen }) => seconds(oldestOpen?.createdAt ?? null),
  },
  {
    name: 'paused',
    help: 'Organisations whose credentials the service rejects',
    samples: ({ service }) => [[service.filter(({ state }) => state === 'rejected').length]],
  },
  {
    name: 'service_reached',
    help: '1 if the last call of the service was answered, 0 during an outage',
    samples: ({ service }) =>
      service
        .filter(({ state }) => state !== 'unknown')
        .map(({ organisation, state }) => [state === 'reached' ? 1 : 0, { organisation }]),
  },
  {
    name: 'service_reached_timestamp_seconds',
    help: 'Time of the last answered call of the service, exact to a minute',
    samples: ({ service }) =>
      service.flatMap(({ organisation, reachedAt }) =>
        seconds(reachedAt).map(([value]): Sample => [value, { organisation }]),
      ),
  },
  {
    name: 'retrying_by_kind',
    help: 'Pieces of work whose last attempt failed',
    samples: ({ retries }) => retries.map(({ organisation, kind, count }) => [count, { organisation, kind }]),
  },
  {
    name: 'oldest_event_timestamp_seconds',
    help: 'Time of the oldest event whose change is not in the copy yet',
    samples: ({ oldestWaiting }) => seconds(oldestWaiting?.since ?? null),
  },
  {
    name: 'sweep_next_timestamp_seconds',
    help: 'Planned start of the next run of each sweep',
    samples: ({ sweeps }) =>
      sweeps.flatMap(({ organisation, name, nextAt }) =>
        seconds(nextAt).map(([value]): Sample => [value, { organisation, sweep: name }]),
      ),
  },
  {
    name: 'backfill_read',
    help: 'Records that the backfill has read',
    samples: ({ sweeps }) =>
      sweeps
        .filter(({ name }) => name === 'backfill')
        .map(({ organisation, read }) => [read, { organisation }]),
  },
  {
    name: 'consumer_backlog',
    help: 'Groups with undelivered changes, without the groups in consumer_dead',
    samples: ({ consumers }) =>
      consumers.map(({ organisation, name, backlog }) => [backlog, { organisation, consumer: name }]),
  },
  {
    name: 'consumer_dead',
    help: 'Groups whose handler failed too often',
    samples: ({ consumers }) =>
      consumers.map(({ organisation, name, dead }) => [dead, { organisation, consumer: name }]),
  },
  {
    name: 'sweep_finished_timestamp_seconds',
    help: 'End of the last run of each backfill and sweep',
    samples: ({ sweeps }) =>
      sweeps.flatMap(({ organisation, name, finishedAt }) =>
        seconds(finishedAt).map(([value]): Sample => [value, { organisation, sweep: name }]),
      ),
  },
  {
    name: 'sweep_recovered',
    help: 'Changes whose events had not arrived when the last run found them',
    samples: ({ sweeps }) =>
      sweeps.map(({ organisation, name, recovered }) => [recovered, { organisation, sweep: name }]),
  },
]

/** Converts a status to the text format of Prometheus. Labels need no escapes: names have no quotation marks. */
export function metricsText(status: MirrorStatus): string {
  const lines = METRICS.flatMap(({ name, help, samples }) => {
    const full = `pathology_mirror_${name}`
    return [
      `# HELP ${full} ${help}`,
      `# TYPE ${full} gauge`,
      ...samples(status).map(([value, labels]) => `${full}${labelText(labels)} ${value}`),
    ]
  })
  return `${lines.join('\n')}\n`
}

function labelText(labels: Labels | undefined): string {
  if (labels === undefined) return ''
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`
}
