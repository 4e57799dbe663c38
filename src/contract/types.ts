import type * as z from 'zod'

import type { EventName } from './events.js'
import type * as catalogue from './schemas/catalogue.js'
import type * as centre from './schemas/centre.js'
import type { ResponseSchemaName } from './schemas/index.js'
import type * as provider from './schemas/provider.js'
import type * as referral from './schemas/referral.js'
import type * as requests from './schemas/requests.js'
import type * as result from './schemas/result.js'
import type * as shared from './schemas/shared.js'
import type * as token from './schemas/token.js'
import type * as webhook from './schemas/webhook.js'

/** A postal address. */
export interface Address extends z.infer<typeof shared.addressSchema> {}
/** A patient. */
export interface Person extends z.infer<typeof shared.personSchema> {}
/** The doctor who orders tests under Medicare. */
export interface OrderingPractitioner extends z.infer<typeof shared.orderingPractitionerSchema> {}
/** A referral. */
export interface Referral extends z.infer<typeof referral.referralSchema> {}
/** A result with its biomarkers. Each request for a result returns its complete current state. */
export interface Result extends z.infer<typeof result.resultSchema> {}
/** One biomarker of a result. */
export interface Biomarker extends z.infer<typeof result.biomarkerSchema> {}
/** A biomarker's value in its canonical unit. */
export interface CanonicalValue extends z.infer<typeof result.canonicalValueSchema> {}
/** A supplementary reference range. */
export interface AdditionalRange extends z.infer<typeof result.additionalRangeSchema> {}
/** Category of a biomarker. */
export interface BiomarkerCategory extends z.infer<typeof result.biomarkerCategorySchema> {}
/** Numbers of normal, abnormal and critical biomarkers of a result. */
export interface BiomarkerSummary extends z.infer<typeof result.biomarkerSummarySchema> {}
/** The patient as identified by the laboratory. */
export interface LabPatient extends z.infer<typeof result.labPatientSchema> {}
/** The doctor who reviewed a result. */
export interface Doctor extends z.infer<typeof result.doctorSchema> {}
/** A test that can be ordered. */
export interface Test extends z.infer<typeof catalogue.testSchema> {}
/** A biomarker of the catalogue. */
export interface CatalogueBiomarker extends z.infer<typeof catalogue.catalogueBiomarkerSchema> {}
/** A set of tests sold together. */
export interface Bundle extends z.infer<typeof catalogue.bundleSchema> {}
/**
 * A calculated price; every amount is an integer number of cents. The service does not document how it computes the
 * amounts, or who pays each amount: ask the service which amount to show to patients.
 */
export interface Price extends z.infer<typeof catalogue.priceSchema> {}
/** A Medicare provider record. */
export interface Provider extends z.infer<typeof provider.providerSchema> {}
/** Response to the retirement of a provider record. */
export interface RetiredProvider extends z.infer<typeof provider.retiredProviderSchema> {}
/** Routing of a provider's results by one laboratory. */
export interface ProviderConnection extends z.infer<typeof provider.providerConnectionSchema> {}
/** Response to a routing request. */
export interface Routing extends z.infer<typeof provider.routingSchema> {}
/** A laboratory company. */
export interface Vendor extends z.infer<typeof provider.vendorSchema> {}
/** A collection centre. */
export interface CollectionCentre extends z.infer<typeof centre.centreSchema> {}
/** One day of a centre's opening hours. */
export interface OpeningDay extends z.infer<typeof centre.openingDaySchema> {}
/** One period of opening hours. */
export interface OpeningPeriod extends z.infer<typeof centre.openingPeriodSchema> {}
/** A webhook subscription. */
export interface Webhook extends z.infer<typeof webhook.webhookSchema> {}
/** Response to the deletion of a webhook. */
export interface DeletedWebhook extends z.infer<typeof webhook.deletedWebhookSchema> {}
/** Names of the events that a webhook can subscribe to. */
export interface EventNames extends z.infer<typeof webhook.eventNamesSchema> {}
/** Position of a page in its list. */
export interface PageCursor extends z.infer<typeof shared.pageCursorSchema> {}
/** Response of the token service. */
export interface TokenResponse extends z.infer<typeof token.tokenResponseSchema> {}

/** A request in which the caller may pass read-only lists. */
type WithReadonlyLists<Body> = {
  [Field in keyof Body]: NonNullable<Body[Field]> extends readonly (infer Entry)[]
    ? readonly Entry[] | Extract<Body[Field], undefined>
    : Body[Field]
}

/** An address in a request. */
export interface AddressInput extends z.input<typeof requests.addressInputSchema> {}
/** An order of tests for a patient. */
export interface Order extends WithReadonlyLists<z.input<typeof requests.orderInputSchema>> {}
/** Changes to a referral. */
export interface ReferralPatch extends z.input<typeof requests.referralPatchSchema> {}
/** A new webhook. */
export interface WebhookCreate extends WithReadonlyLists<z.input<typeof requests.webhookCreateSchema>> {
  /** Names of the events to receive, at least one. */
  readonly events: readonly EventName[]
}
/** Changes to a webhook. */
export interface WebhookUpdate extends WithReadonlyLists<z.input<typeof requests.webhookUpdateSchema>> {
  /** The complete new list. It replaces the stored list. */
  readonly events?: readonly EventName[] | undefined
}
/** A provider record to save. */
export interface ProviderSave extends z.input<typeof requests.providerSaveSchema> {}
/** Changes to a provider record. */
export interface ProviderUpdate extends z.input<typeof requests.providerUpdateSchema> {}
/** A request to route a provider's results. */
export interface RoutingRequest
  extends WithReadonlyLists<Omit<z.input<typeof requests.routingRequestSchema>, 'attestation'>> {
  /** Confirmation of the doctor's signature. */
  readonly attestation: {
    /** Name of the person who attests the doctor's signature. Not empty. */
    readonly attestedBy: string
    /** Time of the doctor's signature, ISO 8601. */
    readonly doctorSignedAt: Date | string
    /** Your own reference for the attestation. */
    readonly reference?: string | undefined
  }
}
/** Tests, a bundle or both, for a price calculation. */
export interface PriceRequest extends WithReadonlyLists<z.input<typeof requests.priceRequestSchema>> {}
/** The query of most lists. */
export interface ListQuery extends z.input<typeof requests.listQuerySchema> {}
/** The query of the bundle list. */
export interface BundleListQuery extends z.input<typeof requests.bundleListQuerySchema> {}
/** The query of the test list. */
export interface TestListQuery extends WithReadonlyLists<z.input<typeof requests.testListQuerySchema>> {}
/** The query of the centre list in the service's format. */
export interface CentreQuery extends WithReadonlyLists<z.input<typeof requests.centreQuerySchema>> {}

interface NamedResponses {
  Referral: Referral
  PlacedReferrals: Referral | readonly [Referral, ...Referral[]]
  Result: Result
  Test: Test
  CatalogueBiomarker: CatalogueBiomarker
  Bundle: Bundle
  Price: Price
  Provider: Provider
  RetiredProvider: RetiredProvider
  Routing: Routing
  Vendor: Vendor
  CollectionCentre: CollectionCentre
  Webhook: Webhook
  DeletedWebhook: DeletedWebhook
  EventNames: EventNames
}

/** The type of a response, by its schema's name. */
export type ResponseType<Name extends ResponseSchemaName> = NamedResponses[Name]
