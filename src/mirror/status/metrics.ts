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
    help: 'Age of the oldest cause of due or running work, such as an event. Scheduled work does not count',
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
    samples: ({ paused }) => [[paused.length]],
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

/** Content type of {@link metricsText}. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

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
