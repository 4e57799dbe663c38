import { handlers as catalogue } from '../domain/catalogue.js'
import { handlers as centres } from '../domain/centres.js'
import { jobs as centreJobs, startCentreRefresh } from '../domain/centres-refresh.js'
import { jobs as deliveryJobs, emitEvent, resumeDeliveries } from '../domain/deliveries.js'
import { seedOrders } from '../domain/orders-seed.js'
import { handlers as prices } from '../domain/prices.js'
import { handlers as providers } from '../domain/providers.js'
import { handlers as referrals } from '../domain/referrals.js'
import { jobs as referralJobs } from '../domain/referrals-timing.js'
import { handlers as results } from '../domain/results.js'
import { handlers as vendors } from '../domain/vendors.js'
import { handlers as webhooks } from '../domain/webhooks.js'
import { seedWebhooks } from '../domain/webhooks-seed.js'
import type { FakeOptions } from '../options/fake-options.js'
import { createClock } from '../server/clock.js'
import type { FakeContext, FakeState, HandlerTable, JobTable, SeedContext } from '../server/context.js'
import { createRandom, seedRandom } from '../server/random.js'
import { createKernelState } from '../server/state.js'
import { createCatalogueState } from '../state/catalogue.js'
import { createCentresState } from '../state/centres.js'
import { createOrdersState } from '../state/orders.js'
import { createProvidersState } from '../state/providers.js'
import { createWebhooksState } from '../state/webhooks.js'

export { emitEvent }

/** What answers each endpoint. */
export const HANDLERS: HandlerTable = {
  ...referrals,
  ...results,
  ...catalogue,
  ...prices,
  ...providers,
  ...vendors,
  ...centres,
  ...webhooks,
}

/** What runs each kind of job. */
export const JOBS: JobTable = { ...referralJobs, ...deliveryJobs, ...centreJobs }

/** The state of a fake that nobody has used: everything in it follows from the options. */
export function createFakeState(options: FakeOptions): FakeState {
  const kernel = createKernelState(options)
  const clock = createClock(() => kernel.clock)
  const organisations = createRandom(() => kernel.random)
  const shared = {
    options,
    clock,
    organisationUuid: organisations.uuid(),
    otherOrganisationUuid: organisations.uuid(),
  }
  const seed = (stream: string): SeedContext => {
    const random = seedRandom(options.seed, stream)
    return { ...shared, random: createRandom(() => random) }
  }
  return {
    kernel,
    catalogue: createCatalogueState(seed('catalogue')),
    orders: createOrdersState(seed('orders')),
    providers: createProvidersState(seed('providers')),
    centres: createCentresState(seed('centres')),
    webhooks: createWebhooksState(seed('webhooks')),
  }
}

/** Fills a fresh state with what is there at the start. */
export function seedDomain(context: FakeContext): void {
  seedOrders(context)
  seedWebhooks(context)
  startCentreRefresh(context)
}

/** Takes up what was under way when a snapshot was taken. */
export function restoreDomain(context: FakeContext): void {
  resumeDeliveries(context)
}
