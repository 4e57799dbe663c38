import { REFERRAL_STATUSES, RESULT_STATUSES } from '../../contract/enums.js'
import { EVENT_NAMES } from '../../contract/events.js'
import type { FakeCore } from '../core/fake-core.js'
import { centreIndex } from '../domain/centres-index.js'
import { DEFAULT_FAKE_OPTIONS, type ResolvedFakeOptions } from '../options/fake-options.js'
import { ROUTES } from '../server/routes.js'
import type { FakeContext } from '../state/context.js'
import type { Choices, DirectoryView, FaultsView, OptionView, Overview } from './views.js'

const SHOWN = 50
const SECRETS: readonly string[] = ['clientSecret', 'signingSecret']

/** Data of every view of the console. */
export function overview(core: FakeCore): Overview {
  const { orders, webhooks, server, faults } = core.state
  const { clientId, environment } = core.options
  const [next] = server.jobs
  return {
    baseUrl: core.origins.api,
    authUrl: core.origins.auth,
    clientId,
    environment,
    now: core.context.clock.iso(),
    clock: server.clock.standsAt === null ? 'following' : 'standing',
    counts: {
      referrals: orders.referralLists.own.length,
      results: orders.resultLists.own.length,
      deliveries: webhooks.deliveries.size,
      requests: server.requests.count,
      faults: faults.rules.length + webhooks.faults.length,
    },
    failingDeliveries: countFailing(core.context),
    next: next === undefined ? null : { dueAt: new Date(next.dueAt).toISOString(), kind: next.job.kind },
  }
}

function countFailing(context: FakeContext): number {
  let count = 0
  for (const { status, attempts } of context.state.webhooks.deliveries.values()) {
    if (status === 'failed' || (status === 'waiting' && attempts.length > 0)) count += 1
  }
  return count
}

/** Pending faults, and the request limit. */
export function showFaults(core: FakeCore): FaultsView {
  const { faults, webhooks } = core.state
  return { faults: core.faults.list(), deliveryFaults: webhooks.faults, quota: faults.quota }
}

/** Centres by status, refreshes and providers. */
export function showDirectory(context: FakeContext): DirectoryView {
  const centres: Record<string, number> = { ACTIVE: 0, MISSING: 0, RETIRED: 0 }
  for (const { record } of centreIndex(context).byName) {
    centres[record.status] = (centres[record.status] ?? 0) + 1
  }
  const own = context.state.providers.records.filter(({ organisation }) => organisation === 'own')
  return {
    centres,
    refreshes: context.state.centres.runs
      .slice(-SHOWN)
      .reverse()
      .map(({ runUuid, ranAt, changed }) => ({
        runUuid,
        ranAt,
        counts: {
          created: changed.created.length,
          updated: changed.updated.length,
          revived: changed.revived.length,
          missing: changed.missing.length,
          retired: changed.retired.length,
        },
      })),
    providers: own
      .toReversed()
      .sort((one, other) => Number(other.connections.length > 0) - Number(one.connections.length > 0))
      .slice(0, SHOWN)
      .map(({ providerNumber, name, signature, connections }) => ({
        providerNumber,
        name,
        signed: signature !== null,
        connections: connections.map(({ vendorId, status }) => ({ vendorId, status })),
      })),
    providerCount: own.length,
  }
}

/** Values for the forms of the console. */
export function choices(core: FakeCore): Choices {
  return {
    routes: ROUTES.map(({ method, path }) => `${method} ${path}`),
    referralStatuses: REFERRAL_STATUSES,
    resultStatuses: RESULT_STATUSES,
    events: EVENT_NAMES,
    options: Object.entries(core.options).filter(isShown).map(optionView),
  }
}

function isShown([name]: readonly [string, unknown]): boolean {
  return !SECRETS.includes(name)
}

function optionView([name, value]: readonly [string, unknown]): OptionView {
  const defaults: Readonly<Record<string, unknown>> = {
    ...(DEFAULT_FAKE_OPTIONS satisfies ResolvedFakeOptions),
  }
  const text = name === 'startTime' ? startTime(value) : (JSON.stringify(value) ?? 'none')
  return { name, value: text, changed: text !== (JSON.stringify(defaults[name]) ?? 'none') }
}

function startTime(value: unknown): string {
  return typeof value === 'number' ? new Date(value).toISOString() : 'none'
}
