import { REFERRAL_STATUSES, RESULT_STATUSES } from '../../contract/enums.js'
import { EVENT_NAMES } from '../../contract/events.js'
import type { FakeCore } from '../core/fake-core.js'
import { ATTEMPT_JOB } from '../domain/deliveries.js'
import { isStillPlanned } from '../domain/referrals-timing.js'
import { isPeriodOver } from '../faults/rate-limit.js'
import { DEFAULT_FAKE_OPTIONS, isChangeable, type ResolvedFakeOptions } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'
import type { ScheduledJob } from '../server/context.js'
import { ROUTES } from '../server/routes.js'
import type { FakeContext } from '../state/context.js'
import type { EventRecord } from '../state/webhooks.js'
import { lastRejection, viewOfEntity } from './traffic.js'

/** Maximum number of jobs, and of events, in the overview. */
const OVERVIEW_ROWS = 8
/** Maximum number of webhook URLs that a filter offers. */
const MAX_URLS = 50
const SECRETS: readonly string[] = ['clientSecret', 'signingSecret']

/** Returns the data that all views of the console share. */
export function overview(core: FakeCore) {
  const { orders, webhooks, server, faults } = core.state
  const { clientId, environment } = core.options
  const jobs = server.jobs.filter(({ job }) => isStillPlanned(core.context, job))
  const [next] = jobs
  return {
    baseUrl: core.origins.api,
    authUrl: core.origins.auth,
    documentsUrl: core.origins.documents,
    clientId,
    environment,
    now: core.context.clock.iso(),
    clock: server.clock.stoppedAt === null ? 'running' : 'stopped',
    counts: {
      referrals: orders.referralLists.own.length,
      results: orders.resultLists.own.length,
      deliveries: webhooks.deliveries.size,
      requests: server.requests.count,
      faults: faults.rules.length + webhooks.faults.length,
    },
    failingDeliveries: countFailing(core.context),
    next: next === undefined ? null : plannedJob(core.context, next),
    planned: jobs.slice(0, OVERVIEW_ROWS).map((job) => plannedJob(core.context, job)),
    lastEvents: webhooks.events
      .slice(-OVERVIEW_ROWS)
      .reverse()
      .map((event) => recentEvent(core.context, event)),
    rejection: lastRejection(core.context),
    webhookUrls: [...new Set(webhooks.lists.own.map(({ url }) => url))].slice(-MAX_URLS),
  }
}

function plannedJob({ state }: FakeContext, { dueAt, job }: ScheduledJob) {
  const { id } = job.argument
  const delivery = typeof id === 'number' ? state.webhooks.deliveries.get(id) : undefined
  const eventName = job.kind === ATTEMPT_JOB ? (delivery?.event.eventName ?? null) : null
  return { dueAt: new Date(dueAt).toISOString(), kind: job.kind, eventName }
}

function recentEvent(context: FakeContext, event: EventRecord) {
  const { eventName, eventUuid, emittedAt, entityUuid } = event
  return { eventName, eventUuid, emittedAt, entityUuid, entity: viewOfEntity(context, entityUuid) }
}

function countFailing(context: FakeContext): number {
  let count = 0
  for (const { status, attempts } of context.state.webhooks.deliveries.values()) {
    if (status === 'failed' || (status === 'waiting' && attempts.length > 0)) count += 1
  }
  return count
}

/** Returns pending faults, and the request limit. */
export function showFaults(core: FakeCore) {
  const { webhooks } = core.state
  return { faults: core.faults.list(), deliveryFaults: webhooks.faults, quota: currentQuota(core.context) }
}

/** Returns the request limit and the number of requests in its current period; `null` without a limit. */
function currentQuota({ clock, state: { faults } }: FakeContext) {
  if (faults.quota === null) return null
  const { limit, perMs, used } = faults.quota
  // `used` belongs to the period of the last request. If this period is over, the current one has no request.
  return { limit, perMs, used: isPeriodOver(faults.quota, clock.now()) ? 0 : used }
}

/** Returns the values for the forms of the console. */
export function choices(core: FakeCore) {
  const { catalogue } = core.state
  return {
    routes: ROUTES.map(({ method, path }) => `${method} ${path}`),
    endpoints: ROUTES.map(({ id }) => id),
    referralStatuses: REFERRAL_STATUSES,
    resultStatuses: RESULT_STATUSES,
    events: EVENT_NAMES,
    tests: catalogue.tests.map(({ id, name, sample, medicareListed }) => ({
      id,
      name,
      sample,
      medicareListed,
    })),
    bundles: catalogue.bundles
      .filter(({ organisation }) => organisation === 'own')
      .map(({ id, name }) => ({ id, name })),
  }
}

/** Returns the options with their values, without secrets. */
export function showOptions(core: FakeCore) {
  return { options: Object.entries(core.options).filter(isShown).map(optionView) }
}

function isShown([name]: readonly [string, unknown]): boolean {
  return !SECRETS.includes(name)
}

function optionView([name, value]: readonly [string, unknown]) {
  const defaults: Readonly<Record<string, unknown>> = {
    ...(DEFAULT_FAKE_OPTIONS satisfies ResolvedFakeOptions),
  }
  const text = name === 'startTime' ? startTime(value) : (JSON.stringify(value) ?? 'none')
  const rule = new Map(Object.entries(OPTION_RULES)).get(name)
  return {
    name,
    value: text,
    changed: text !== (JSON.stringify(defaults[name]) ?? 'none'),
    changeable: isChangeable(name),
    choices: (rule?.choices ?? []).map((choice) => JSON.stringify(choice)),
  }
}

function startTime(value: unknown): string {
  return typeof value === 'number' ? new Date(value).toISOString() : 'none'
}
