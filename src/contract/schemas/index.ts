import { bundleSchema, catalogueBiomarkerSchema, priceSchema, testSchema } from './catalogue.js'
import { centreSchema } from './centre.js'
import { providerSchema, retiredProviderSchema, routingSchema, vendorSchema } from './provider.js'
import { placedReferralsSchema, referralSchema } from './referral.js'
import {
  bundleListQuerySchema,
  centreQuerySchema,
  listQuerySchema,
  orderInputSchema,
  priceRequestSchema,
  providerSaveSchema,
  providerUpdateSchema,
  referralPatchSchema,
  routingRequestSchema,
  testListQuerySchema,
  webhookCreateSchema,
  webhookUpdateSchema,
} from './requests.js'
import { resultSchema } from './result.js'
import { deletedWebhookSchema, eventNamesSchema, webhookSchema } from './webhook.js'

/** Response schemas, by the names that the endpoint table uses. */
export const RESPONSE_SCHEMAS = {
  Referral: referralSchema,
  PlacedReferrals: placedReferralsSchema,
  Result: resultSchema,
  Test: testSchema,
  CatalogueBiomarker: catalogueBiomarkerSchema,
  Bundle: bundleSchema,
  Price: priceSchema,
  Provider: providerSchema,
  RetiredProvider: retiredProviderSchema,
  Routing: routingSchema,
  Vendor: vendorSchema,
  CollectionCentre: centreSchema,
  Webhook: webhookSchema,
  DeletedWebhook: deletedWebhookSchema,
  EventNames: eventNamesSchema,
} as const

/** Request schemas, by the names that the endpoint table uses. */
export const REQUEST_SCHEMAS = {
  Order: orderInputSchema,
  ReferralPatch: referralPatchSchema,
  ListQuery: listQuerySchema,
  TestListQuery: testListQuerySchema,
  BundleListQuery: bundleListQuerySchema,
  PriceRequest: priceRequestSchema,
  ProviderSave: providerSaveSchema,
  ProviderUpdate: providerUpdateSchema,
  RoutingRequest: routingRequestSchema,
  CentreQuery: centreQuerySchema,
  WebhookCreate: webhookCreateSchema,
  WebhookUpdate: webhookUpdateSchema,
} as const

export type ResponseSchemaName = keyof typeof RESPONSE_SCHEMAS
export type RequestSchemaName = keyof typeof REQUEST_SCHEMAS
