/**
 * The whole service, faked, for tests and for your desk.
 *
 * @module pathology-sdk/testing
 */

export type { NewBundle, NewTest } from './domain/catalogue-drivers.js'
export type { CentreSelection, RefreshPlan } from './domain/centres-plan.js'
export type { RefreshOutcome } from './domain/centres-refresh.js'
export type { CentreRun } from './domain/centres-state.js'
export type { DeliveryRecord, EmittedEvent, TriggerRequest } from './domain/deliveries-drivers.js'
export type { DeliveryFaultRequest } from './domain/deliveries-faults.js'
export type { DirectoryOptions, RefreshSchedule } from './domain/directory-options.js'
export type { OrdersOptions, TransitionTiming } from './domain/orders-options.js'
export type { OrderOutcome, SentEmail } from './domain/orders-state.js'
export type { ProviderFields } from './domain/providers-check.js'
export type { AttestationRecord } from './domain/providers-state.js'
export type { ArrivalSettings } from './domain/referrals-results.js'
export type { IncomingResult } from './domain/results-drivers.js'
export type { BatchSelection, ConnectionRef } from './domain/routing-drivers.js'
export type {
  DeliveryAttempt,
  DeliveryFault,
  DeliveryFaultKind,
  DeliveryStatus,
  OwnerNotice,
} from './domain/webhooks-state.js'
export type { ClockStep } from './kernel/clock.js'
export type { Fault, FaultWhen, Quota } from './kernel/fault-state.js'
export type { FaultInjector, WaitingFault } from './kernel/faults.js'
export type { JournalEntry } from './kernel/journal.js'
export type { KernelOptions } from './kernel/kernel-options.js'
export type { KnownFaultRoute } from './kernel/routes.js'
export type { DeliveryReceiver } from './kernel/sender.js'
export type { ListenOptions } from './kernel/servers.js'
export { type FakeSnapshot, snapshotFromJson, snapshotToJson } from './kernel/snapshot.js'
export type { TokenDrivers } from './kernel/token-drivers.js'
export type { IssuedTokens } from './kernel/tokens.js'
export { DEFAULT_FAKE_OPTIONS, type FakeOptions, type FakeSettings } from './options.js'
export {
  type FakeClientOptions,
  type FakeClock,
  type FakeDeliveries,
  FakePathologyService,
  type FakeRequests,
  type FakeStartOptions,
} from './service.js'
