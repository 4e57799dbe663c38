import { createTokenState } from '../auth/access-tokens.js'
import { handlers as catalogue } from '../domain/catalogue.js'
import { handlers as centres } from '../domain/centres.js'
import { jobs as centreJobs, startCentreRefresh } from '../domain/centres-refresh.js'
import { jobs as deliveryJobs } from '../domain/deliveries.js'
import { seedOrders } from '../domain/orders-seed.js'
import { handlers as prices } from '../domain/prices.js'
import { handlers as providers } from '../domain/providers.js'
import { handlers as referrals } from '../domain/referrals.js'
import { jobs as referralJobs } from '../domain/referrals-timing.js'
import { handlers as results } from '../domain/results.js'
import { handlers as vendors } from '../domain/vendors.js'
import { seedWebhooks, handlers as webhooks } from '../domain/webhooks.js'
import { createFaultState } from '../faults/fault.js'
import type { ResolvedFakeOptions } from '../options/fake-options.js'
import { seedBiomarkers } from '../seed/biomarkers.js'
import { seedBundles } from '../seed/bundles.js'
import { seedProviders } from '../seed/providers.js'
import { seedTests } from '../seed/tests.js'
import { createClock } from '../server/clock.js'
import { createServerState, type HandlerTable, type JobTable } from '../server/context.js'
import { createRandom, seedRandom } from '../server/random.js'
import { createCentresState } from '../state/centres.js'
import type { FakeContext, FakeState } from '../state/context.js'
import { createOrdersState } from '../state/orders.js'
import { createProvidersState } from '../state/providers.js'
import { createWebhooksState } from '../state/webhooks.js'

export const HANDLERS: HandlerTable<FakeContext> = {
  ...referrals,
  ...results,
  ...catalogue,
  ...prices,
  ...providers,
  ...vendors,
  ...centres,
  ...webhooks,
}

export const JOBS: JobTable<FakeContext> = { ...referralJobs, ...deliveryJobs, ...centreJobs }

/** Creates the state of a new fake. `seedDomain` adds the initial orders and webhooks. */
export function createFakeState(options: ResolvedFakeOptions): FakeState {
  const server = createServerState(options)
  const now = createClock(() => server.clock).now()
  const random = createRandom(() => server.random)
  const secrets = seedRandom(options.seed, 'webhooks')
  const otherSecret = `fake-signing-secret-${createRandom(() => secrets).uuid()}`
  return {
    server,
    tokens: createTokenState(),
    faults: createFaultState(options.seed),
    catalogue: { tests: seedTests(), biomarkers: seedBiomarkers(), bundles: seedBundles(now) },
    orders: createOrdersState({ own: random.uuid(), other: random.uuid() }),
    providers: createProvidersState(seedProviders(now)),
    centres: createCentresState(options.seed, options.centreCount, now),
    webhooks: createWebhooksState({ own: options.signingSecret, other: otherSecret }),
  }
}

/** Adds the initial orders and webhooks to a new state, and schedules the refresh of the directory. */
export function seedDomain(context: FakeContext): void {
  seedOrders(context)
  seedWebhooks(context)
  startCentreRefresh(context)
}
