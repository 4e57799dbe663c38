/**
 * A fake of the complete service, for tests and for local development.
 *
 * @module pathology-sdk/testing
 */

export type { TokenOptions } from './auth/access-tokens.js'
export type { IssuedTokens } from './auth/token-service.js'
export type { TokenMethods } from './control/token-methods.js'
export { type FakeSnapshot, snapshotFromJson, snapshotToJson } from './core/snapshot.js'
export type { NewBundle, NewTest } from './domain/catalogue-methods.js'
export type { CentreSelection, RefreshPlan } from './domain/centres-plan.js'
export type { RefreshOutcome } from './domain/centres-refresh.js'
export type { DeliveryFaultRequest } from './domain/deliveries-faults.js'
export type { DeliveryRecord, EmittedEvent, TriggerRequest } from './domain/deliveries-methods.js'
export type { ProviderFields } from './domain/providers-check.js'
export type { ArrivalOptions } from './domain/results-arrivals.js'
export type { IncomingResult } from './domain/results-methods.js'
export type { BatchSelection, ConnectionRef } from './domain/routing-methods.js'
export {
  type FakeClientOptions,
  type FakeClock,
  type FakeDeliveries,
  FakePathologyService,
  type FakeRequests,
  type FakeStartOptions,
} from './fake-pathology-service.js'
export type { Fault, FaultWhen } from './faults/fault.js'
export type { FaultInjector, PendingFault } from './faults/fault-injector.js'
export type { Quota } from './faults/rate-limit.js'
export type { DirectoryOptions, RefreshSchedule } from './options/directory-options.js'
export { DEFAULT_FAKE_OPTIONS, type FakeOptions, type ResolvedFakeOptions } from './options/fake-options.js'
export type { OrderOutcome, OrdersOptions, TransitionTiming } from './options/orders-options.js'
export type { ClockStep } from './server/clock.js'
export type { ServicePart } from './server/http.js'
export type { JournalEntry } from './server/journal.js'
export type { ServerOptions } from './server/options.js'
export type { KnownFaultRoute } from './server/routes.js'
export type { ListenOptions } from './servers.js'
export type { CentreRun } from './state/centres.js'
export type { SentEmail } from './state/orders.js'
export type { AttestationRecord } from './state/providers.js'
export type {
  DeliveryAttempt,
  DeliveryFault,
  DeliveryFaultKind,
  DeliveryStatus,
  OwnerNotice,
} from './state/webhooks.js'
export type { DeliveryReceiver } from './transports/delivery-sender.js'
