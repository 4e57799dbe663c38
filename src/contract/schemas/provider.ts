import * as z from 'zod'

import { CONNECTION_STATUSES } from '../enums.js'
import { open, timestampSchema } from './shared.js'

/** §2.10 */
export const providerConnectionSchema = z.object({
  /** Always `providerConnection`. */
  object: open(['providerConnection']),
  /** The laboratory company's id. */
  vendorId: z.string(),
  /** The laboratory company's name. */
  vendorName: z.string(),
  /** How far routing has come: results route from `CONNECTED` laboratories alone (§3.3). */
  status: open(CONNECTION_STATUSES),
  /** When routing was asked for, ISO 8601; not when the doctor signed. */
  consentedAt: timestampSchema,
  /** When the laboratory confirmed, ISO 8601; `null` until it has. */
  confirmedAt: timestampSchema.nullable(),
  /** Why the laboratory could not go on; `null` when there is nothing to do. */
  actionNeededReason: z.string().nullable(),
})

/** §2.10 */
export const providerSchema = z.object({
  /** Always `provider`. */
  object: open(['provider']),
  /** Medicare provider number, the record's identity: it cannot change. */
  providerNumber: z.string(),
  /** The doctor's name, as printed on referrals. */
  name: z.string(),
  /** The doctor's address, as printed on referrals. */
  address: z.string(),
  /** The doctor's title, as printed on referrals; `null` or absent when there is none. */
  title: z.string().nullish(),
  /** The doctor's phone number, as printed on referrals; `null` or absent when there is none. */
  phone: z.string().nullish(),
  /** The doctor's e-mail address, as printed on referrals; `null` or absent when there is none. */
  email: z.string().nullish(),
  /** Whether a signature is on file, which Medicare orders and routing need. */
  hasSignature: z.boolean(),
  /** When the signature was signed, ISO 8601; `null` or absent without one. */
  signatureSignedAt: timestampSchema.nullish(),
  /** The signature, as a data URI holding a base64 PNG; `null` or absent without one. */
  encodedSignature: z.string().nullish(),
  /** When the record was made, ISO 8601. */
  createdAt: timestampSchema,
  /** When the record last changed, ISO 8601. */
  updatedAt: timestampSchema,
  /** One for each laboratory asked to route results. */
  connections: z.array(providerConnectionSchema).nullish(),
})

/** §4.4 */
export const retiredProviderSchema = z.object({
  /** Always `provider`. */
  object: open(['provider']),
  /** The Medicare provider number of the record that was retired. */
  providerNumber: z.string(),
  /** `true`: the record is retired. */
  deleted: z.boolean(),
})

/** §4.4 */
export const routingSchema = z.object({
  /** The provider's connections: all, or only those asked for just now. The specification does not say which. */
  connections: z.array(providerConnectionSchema),
})

/** §2.10 */
export const vendorSchema = z.object({
  /** Always `vendor`. */
  object: open(['vendor']),
  /** The laboratory company's id. */
  id: z.string(),
  /** The laboratory company's name. */
  name: z.string(),
  /** How results reach the service from this laboratory; for people to read. */
  route: z.string().nullish(),
})
