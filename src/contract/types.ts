import type * as z from 'zod'

import type { EventName } from './events.js'
import type * as catalogue from './schemas/catalogue.js'
import type * as centre from './schemas/centre.js'
import type { RequestSchemaName, ResponseSchemaName } from './schemas/index.js'
import type * as provider from './schemas/provider.js'
import type * as referral from './schemas/referral.js'
import type * as requests from './schemas/requests.js'
import type * as result from './schemas/result.js'
import type * as shared from './schemas/shared.js'
import type * as token from './schemas/token.js'
import type * as webhook from './schemas/webhook.js'

/** A postal address (§2.1). */
export interface Address extends z.infer<typeof shared.addressSchema> {}
/** A patient (§2.2). */
export interface Person extends z.infer<typeof shared.personSchema> {}
/** The doctor who orders under Medicare (§2.3). */
export interface OrderingPractitioner extends z.infer<typeof shared.orderingPractitionerSchema> {}
/** A referral (§2.4). */
export interface Referral extends z.infer<typeof referral.referralSchema> {}
/** A result with its biomarkers: always the whole current state (§2.5). */
export interface Result extends z.infer<typeof result.resultSchema> {}
/** One biomarker of a result (§2.6). */
export interface Biomarker extends z.infer<typeof result.biomarkerSchema> {}
/** A biomarker's value in its canonical unit (§2.6). */
export interface CanonicalValue extends z.infer<typeof result.canonicalValueSchema> {}
/** A supplementary reference range (§2.6). */
export interface AdditionalRange extends z.infer<typeof result.additionalRangeSchema> {}
/** What kind of biomarker it is (§2.6). */
export interface BiomarkerCategory extends z.infer<typeof result.biomarkerCategorySchema> {}
/** How many biomarkers of a result are normal, abnormal and critical (§2.5). */
export interface BiomarkerSummary extends z.infer<typeof result.biomarkerSummarySchema> {}
/** The patient as a laboratory identified them (§2.5). */
export interface LabPatient extends z.infer<typeof result.labPatientSchema> {}
/** The doctor who reviewed a result (§2.5). */
export interface Doctor extends z.infer<typeof result.doctorSchema> {}
/** A test that can be ordered (§2.7). */
export interface Test extends z.infer<typeof catalogue.testSchema> {}
/** A biomarker of the catalogue (§2.8). */
export interface CatalogueBiomarker extends z.infer<typeof catalogue.catalogueBiomarkerSchema> {}
/** A set of tests sold together (§2.9). */
export interface Bundle extends z.infer<typeof catalogue.bundleSchema> {}
/**
 * A calculated price, in whole cents (§2.13). The specification names the amounts and does not say how they are made up,
 * nor which of them is charged to whom: settle with the service which one you show to patients.
 */
export interface Price extends z.infer<typeof catalogue.priceSchema> {}
/** A Medicare provider record (§2.10). */
export interface Provider extends z.infer<typeof provider.providerSchema> {}
/** What retiring a provider answers (§4.4). */
export interface RetiredProvider extends z.infer<typeof provider.retiredProviderSchema> {}
/** One laboratory's routing of a provider's results (§2.10). */
export interface ProviderConnection extends z.infer<typeof provider.providerConnectionSchema> {}
/** What a routing request answers (§4.4). */
export interface Routing extends z.infer<typeof provider.routingSchema> {}
/** A laboratory company (§2.10). */
export interface Vendor extends z.infer<typeof provider.vendorSchema> {}
/** A collection centre (§2.11). */
export interface CollectionCentre extends z.infer<typeof centre.centreSchema> {}
/** One day of a centre's opening hours (§2.11). */
export interface OpeningDay extends z.infer<typeof centre.openingDaySchema> {}
/** One stretch of opening hours (§2.11). */
export interface OpeningPeriod extends z.infer<typeof centre.openingPeriodSchema> {}
/** A webhook subscription (§2.12). */
export interface Webhook extends z.infer<typeof webhook.webhookSchema> {}
/** What deleting a webhook answers (§4.6). */
export interface DeletedWebhook extends z.infer<typeof webhook.deletedWebhookSchema> {}
/** The events that can be subscribed to (§4.6). */
export interface EventNames extends z.infer<typeof webhook.eventNamesSchema> {}
/** Where a page stands in its list (§2.14). */
export interface PageCursor extends z.infer<typeof shared.pageCursorSchema> {}
/** The token service's answer (§5). */
export interface TokenResponse extends z.infer<typeof token.tokenResponseSchema> {}

/** What a caller gives: lists that cannot be changed will do. */
type ListsGiven<Body> = {
  [Field in keyof Body]: NonNullable<Body[Field]> extends readonly (infer Entry)[]
    ? readonly Entry[] | Extract<Body[Field], undefined>
    : Body[Field]
}

/** An address in a request (§2.1). */
export interface AddressInput extends z.input<typeof requests.addressInputSchema> {}
/** An order of tests for a patient (§4.1). */
export interface Order extends ListsGiven<z.input<typeof requests.orderSchema>> {}
/** Changes to a referral (§4.1). */
export interface ReferralPatch extends z.input<typeof requests.referralPatchSchema> {}
/** A new webhook (§4.6). */
export interface WebhookCreate extends ListsGiven<z.input<typeof requests.webhookCreateSchema>> {
  /** The events to be told of, at least one (§6). */
  readonly events: readonly EventName[]
}
/** Changes to a webhook (§4.6). */
export interface WebhookUpdate extends ListsGiven<z.input<typeof requests.webhookUpdateSchema>> {
  /** In place of the whole list that is there. */
  readonly events?: readonly EventName[] | undefined
}
/** A provider record to save (§4.4). */
export interface ProviderSave extends z.input<typeof requests.providerSaveSchema> {}
/** Changes to a provider record (§4.4). */
export interface ProviderUpdate extends z.input<typeof requests.providerUpdateSchema> {}
/** A request to route a provider's results (§4.4). */
export interface RoutingRequest extends ListsGiven<z.input<typeof requests.routingRequestSchema>> {}
/** What to calculate a price for (§4.3). */
export interface PriceRequest extends ListsGiven<z.input<typeof requests.priceRequestSchema>> {}
/** The query of most lists (§4.7). */
export interface ListQuery extends z.input<typeof requests.listQuerySchema> {}
/** The query of the bundle list (§4.3). */
export interface BundleListQuery extends z.input<typeof requests.bundleListQuerySchema> {}
/** The query of the test list (§4.3). */
export interface TestListQuery extends ListsGiven<z.input<typeof requests.testListQuerySchema>> {}
/** The query of the centre list as the service takes it (§4.5). */
export interface CentreQuery extends ListsGiven<z.input<typeof requests.centreQuerySchema>> {}

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

interface NamedRequests {
  Order: Order
  ReferralPatch: ReferralPatch
  ListQuery: ListQuery
  TestListQuery: TestListQuery
  BundleListQuery: BundleListQuery
  PriceRequest: PriceRequest
  ProviderSave: ProviderSave
  ProviderUpdate: ProviderUpdate
  RoutingRequest: RoutingRequest
  CentreQuery: CentreQuery
  WebhookCreate: WebhookCreate
  WebhookUpdate: WebhookUpdate
}

/** The type of a response, by its schema's name. */
export type ResponseType<Name extends ResponseSchemaName> = NamedResponses[Name]

/** The type of a request's query or body, by its schema's name. */
export type RequestType<Name extends RequestSchemaName> = NamedRequests[Name]
