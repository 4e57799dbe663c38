import type { TokenState } from '../auth/access-tokens.js'
import type { FaultState } from '../faults/fault.js'
import type { ResolvedFakeOptions } from '../options/fake-options.js'
import type { ServerContext, ServerState } from '../server/context.js'
import type { Origins } from '../server/http.js'
import type { DeliveryOutcome, OutgoingDelivery } from '../transports/delivery-sender.js'
import type { CatalogueState } from './catalogue.js'
import type { CentresState } from './centres.js'
import type { OrdersState } from './orders.js'
import type { ProvidersState } from './providers.js'
import type { WebhooksState } from './webhooks.js'

/** Complete state of the fake, as plain data. A structured clone of this state is a snapshot. */
export interface FakeState {
  server: ServerState
  tokens: TokenState
  faults: FaultState
  catalogue: CatalogueState
  orders: OrdersState
  providers: ProvidersState
  centres: CentresState
  webhooks: WebhooksState
}

/** First parameter of every handler, job and control method. */
export interface FakeContext extends ServerContext<FakeState, ResolvedFakeOptions> {
  readonly origins: Origins
  /**
   * Starts one delivery attempt and returns at once. Calls `done` after the attempt, unless the fake was restored,
   * reset or closed during the attempt.
   */
  send(delivery: OutgoingDelivery, done: (outcome: DeliveryOutcome) => void): void
}
