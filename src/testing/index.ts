/**
 * The whole service, faked, for tests and for your desk.
 *
 * @module pathology-sdk/testing
 */

export type { IssuedTokens } from './auth/token-service.js'
export type { TokenDrivers } from './control/token-methods.js'
export { type FakeSnapshot, snapshotFromJson, snapshotToJson } from './core/snapshot.js'
export type { NewBundle, NewTest } from './domain/catalogue-methods.js'
export type { CentreSelection, RefreshPlan } from './domain/centres-plan.js'
export type { RefreshOutcome } from './domain/centres-refresh.js'
export type { DeliveryFaultRequest } from './domain/deliveries-faults.js'
export type { DeliveryRecord, EmittedEvent, TriggerRequest } from './domain/deliveries-methods.js'
export type { ProviderFields } from './domain/providers-check.js'
export type { ArrivalSettings } from './domain/referrals-results.js'
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
export type { Fault, FaultWhen, Quota } from './faults/fault.js'
export type { FaultInjector, WaitingFault } from './faults/fault-injector.js'
export type { DirectoryOptions, RefreshSchedule } from './options/directory-options.js'
export { DEFAULT_FAKE_OPTIONS, type FakeOptions, type FakeSettings } from './options/fake-options.js'
export type { OrdersOptions, TransitionTiming } from './options/orders-options.js'
export type { ClockStep } from './server/clock.js'
export type { JournalEntry } from './server/journal.js'
export type { KernelOptions } from './server/options.js'
export type { KnownFaultRoute } from './server/routes.js'
export type { ListenOptions } from './servers.js'
export type { CentreRun } from './state/centres.js'
export type { OrderOutcome, SentEmail } from './state/orders.js'
export type { AttestationRecord } from './state/providers.js'
export type {
  DeliveryAttempt,
  DeliveryFault,
  DeliveryFaultKind,
  DeliveryStatus,
  OwnerNotice,
} from './state/webhooks.js'
export type { DeliveryReceiver } from './transports/delivery-sender.js'
