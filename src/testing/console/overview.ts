import type { FakeCore } from '../core/fake-core.js'
import { ATTEMPT_JOB } from '../domain/deliveries.js'
import { isStillPlanned } from '../domain/referrals-timing.js'
import type { ScheduledJob } from '../server/context.js'
import type { FakeContext } from '../state/context.js'
import { lastRejection, viewOfEntity } from './deliveries.js'
import { labelOf, number } from './format.js'
import { link, type Page, type TimelineEntry, type Value } from './view.js'

/** Maximum number of jobs, and of events, in the overview. */
const OVERVIEW_ROWS = 8

/** Labels of the planned jobs. */
const JOBS: Readonly<Record<string, string>> = {
  'referrals.transition': 'a referral changes its status',
  [ATTEMPT_JOB]: 'a delivery is sent',
  'centres.weeklyRefresh': 'the directory is refreshed',
}

/** Returns what every view of the console shows, and the page of the overview. */
export function overview(core: FakeCore) {
  const { orders, webhooks, server, faults } = core.state
  const jobs = server.jobs.filter(({ job }) => isStillPlanned(core.context, job))
  const counts = {
    referrals: orders.referralLists.own.length,
    results: orders.resultLists.own.length,
    deliveries: webhooks.deliveries.size,
    requests: server.requests.count,
    faults: faults.rules.length + webhooks.faults.length,
  }
  const planned = jobs.slice(0, OVERVIEW_ROWS).map((job) => plannedEntry(core.context, job))
  const failingDeliveries = countFailing(core.context)
  const countFacts = Object.entries(counts).map(
    ([name, count]) => [labelOf(name), countLink(name, count)] as const,
  )
  return {
    baseUrl: core.origins.api,
    now: core.context.clock.iso(),
    clock: server.clock.stoppedAt === null ? 'running' : 'stopped',
    counts,
    failingDeliveries,
    next: planned[0] ?? null,
    rejection: lastRejection(core.context),
    page: {
      title: 'Overview',
      sections: [
        {
          title: 'Now',
          facts: [
            ...countFacts,
            ['Failed or waiting for a retry', countLink('deliveries', failingDeliveries)],
          ],
        },
        {
          title: 'Last events',
          timeline: webhooks.events
            .slice(-OVERVIEW_ROWS)
            .reverse()
            .map((event): TimelineEntry => {
              const { eventName, emittedAt, entityUuid } = event
              const view = viewOfEntity(orders, entityUuid)
              return {
                ...{ at: emittedAt, kind: 'event', title: eventName, detail: '' },
                ...(view !== null && { href: `#/${view}/${entityUuid}` }),
              }
            }),
          whenEmpty: 'No events yet. Place an order, or change a referral.',
        },
        {
          title: 'Next',
          timeline: planned,
          whenEmpty: 'No planned events.',
          hint: "All times are UTC, on the fake's clock.",
        },
      ],
    } satisfies Page,
  }
}

function countLink(view: string, count: number): Value {
  return link(view, number(count))
}

function plannedEntry({ state }: FakeContext, { dueAt, job }: ScheduledJob): TimelineEntry {
  const { id } = job.argument
  const delivery = typeof id === 'number' ? state.webhooks.deliveries.get(id) : undefined
  const isDelivery = job.kind === ATTEMPT_JOB && delivery !== undefined
  const title = isDelivery ? `${delivery.event.eventName} is sent` : (JOBS[job.kind] ?? job.kind)
  return { at: new Date(dueAt).toISOString(), kind: 'planned', title, detail: '' }
}

function countFailing({ state }: FakeContext): number {
  let count = 0
  for (const { status, attempts } of state.webhooks.deliveries.values()) {
    if (status === 'failed' || (status === 'waiting' && attempts.length > 0)) count += 1
  }
  return count
}
