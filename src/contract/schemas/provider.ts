import * as z from 'zod'

import { CONNECTION_STATUSES } from '../enums.js'
import { open, timestampSchema } from './shared.js'

// §2.10
export const providerConnectionSchema = z.object({
  /** Always `providerConnection`. */
  object: open(['providerConnection']),
  /** The laboratory company's id. */
  vendorId: z.string(),
  /** The laboratory company's name. */
  vendorName: z.string(),
  /** Status of the routing. Only `CONNECTED` laboratories route results. */
  status: open(CONNECTION_STATUSES),
  /** Time of the routing request, ISO 8601; not the time of the doctor's signature. */
  consentedAt: timestampSchema,
  /** Time of the laboratory's confirmation, ISO 8601; `null` until the laboratory confirms. */
  confirmedAt: timestampSchema.nullable(),
  /** Problem that prevents the routing; `null` if there is nothing to do. */
  actionNeededReason: z.string().nullable(),
})

// §2.10
export const providerSchema = z.object({
  /** Always `provider`. */
  object: open(['provider']),
  /** Medicare provider number. It identifies the record and cannot change. */
  providerNumber: z.string(),
  /** The doctor's name, as printed on referrals. */
  name: z.string(),
  /** The doctor's address, as printed on referrals. */
  address: z.string(),
  /** The doctor's title, as printed on referrals; `null` or absent if there is none. */
  title: z.string().nullish(),
  /** The doctor's phone number, as printed on referrals; `null` or absent if there is none. */
  phone: z.string().nullish(),
  /** The doctor's email address, as printed on referrals; `null` or absent if there is none. */
  email: z.string().nullish(),
  /** `true` when a signature is stored. Medicare orders and routing require a signature. */
  hasSignature: z.boolean(),
  /** Time of the signature, ISO 8601; `null` or absent without a signature. */
  signatureSignedAt: timestampSchema.nullish(),
  /** The signature as a data URI with a base64 PNG; `null` or absent without a signature. */
  encodedSignature: z.string().nullish(),
  /** Creation time, ISO 8601. */
  createdAt: timestampSchema,
  /** Time of the last change, ISO 8601. */
  updatedAt: timestampSchema,
  /** Routing connections, one per requested laboratory; `null` or absent if the service does not return them. */
  connections: z.array(providerConnectionSchema).nullish(),
})

// §4.4
export const retiredProviderSchema = z.object({
  /** Always `provider`. */
  object: open(['provider']),
  /** Medicare provider number of the retired record. */
  providerNumber: z.string(),
  /** `true`: the record is retired. */
  deleted: z.boolean(),
})

// §4.4
export const routingSchema = z.object({
  /**
   * The provider's connections. The service does not document whether the list has all connections, or only the
   * connections of this request.
   */
  connections: z.array(providerConnectionSchema),
})

// §2.10
export const vendorSchema = z.object({
  /** Always `vendor`. */
  object: open(['vendor']),
  /** The laboratory company's id. */
  id: z.string(),
  /** The laboratory company's name. */
  name: z.string(),
  /** Transmission route of this laboratory's results, for people to read. */
  route: z.string().nullish(),
})
