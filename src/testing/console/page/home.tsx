import type { ComponentChildren } from 'preact'

import { Act } from './actions.js'
import { number, span } from './format.js'
import { Block, Empty, Facts, Head, Time } from './parts.js'
import { type Overview, overview } from './state.js'

/** Labels of the planned jobs. */
const JOBS: Readonly<Record<string, string>> = {
  'referrals.transition': 'a referral changes its status',
  'deliveries.attempt': 'a delivery is sent',
  'centres.weeklyRefresh': 'the directory is refreshed',
}

export function jobLabel(kind: string): string {
  return JOBS[kind] ?? kind
}

/** Counts, the last events and the planned steps: a view of its own, and shown next to a list without a selection. */
export function Home({ hint }: { hint?: string }) {
  const { counts, failingDeliveries, lastEvents, planned } = overview.value
  const link = (view: string, count: number) => <a href={`#/${view}`}>{number(count)}</a>
  return (
    <article>
      <Head title="Overview" />
      {hint === undefined ? null : <Empty>{hint}</Empty>}
      <Block title="Now">
        <Facts
          rows={[
            ['Referrals', link('referrals', counts.referrals)],
            ['Results', link('results', counts.results)],
            ['Deliveries', link('deliveries', counts.deliveries)],
            ['Failed or waiting for a retry', link('deliveries', failingDeliveries)],
            ['Requests', link('requests', counts.requests)],
            ['Pending faults', link('faults', counts.faults)],
          ]}
        />
      </Block>
      <Block title="Last events">
        <Steps whenEmpty="No events yet. Place an order, or change a referral.">
          {lastEvents.map((event) => (
            <EventRow key={`${event.eventUuid} ${event.emittedAt}`} event={event} />
          ))}
        </Steps>
      </Block>
      <Block title="Next">
        <Steps whenEmpty="No planned events.">
          {planned.map((job, place) => (
            <JobRow key={`${job.dueAt} ${place}`} job={job} />
          ))}
        </Steps>
      </Block>
      <p class="muted">All times are UTC, on the fake’s clock.</p>
    </article>
  )
}

function Steps({ whenEmpty, children }: { whenEmpty: string; children: readonly ComponentChildren[] }) {
  return children.length === 0 ? <Empty>{whenEmpty}</Empty> : <ol class="timeline">{children}</ol>
}

function EventRow({ event }: { event: Overview['lastEvents'][number] }) {
  const { eventName, emittedAt, entityUuid, entity } = event
  return (
    <li data-kind="event">
      <Time iso={emittedAt} />
      <div class="mono">
        {entity === null ? eventName : <a href={`#/${entity}/${entityUuid}`}>{eventName}</a>}
      </div>
    </li>
  )
}

function JobRow({ job: { dueAt, kind, eventName } }: { job: Overview['planned'][number] }) {
  const milliseconds = Math.max(0, Date.parse(dueAt) - Date.parse(overview.value.now))
  return (
    <li data-kind="planned">
      <Time iso={dueAt} />
      <div>
        {eventName === null ? jobLabel(kind) : `${eventName} is sent`}{' '}
        <span class="muted">in {span(milliseconds)}</span> <AdvanceTo milliseconds={milliseconds} />
      </div>
    </li>
  )
}

export function AdvanceTo({ milliseconds }: { milliseconds: number }) {
  return (
    <Act
      small
      label="Advance to this event"
      command={{ path: '/clock/advance', body: { milliseconds }, done: 'Clock advanced' }}
    />
  )
}
