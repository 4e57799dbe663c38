import * as z from 'zod'

import { CONNECTION_STATUSES } from '../enums.js'
import { open, timestampSchema } from './shared.js'

/** §2.10 */
export const providerConnectionSchema = z.object({
  object: open(['providerConnection']),
  vendorId: z.string(),
  vendorName: z.string(),
  status: open(CONNECTION_STATUSES),
  /** When routing was asked for, not when the doctor signed. */
  consentedAt: timestampSchema,
  /** `null` until the laboratory confirms. */
  confirmedAt: timestampSchema.nullable(),
  /** Why the laboratory could not go on. */
  actionNeededReason: z.string().nullable(),
})

/** §2.10 */
export const providerSchema = z.object({
  object: open(['provider']),
  /** The record's identity: it cannot change. */
  providerNumber: z.string(),
  name: z.string(),
  address: z.string(),
  title: z.string().nullish(),
  phone: z.string().nullish(),
  email: z.string().nullish(),
  hasSignature: z.boolean(),
  signatureSignedAt: timestampSchema.nullish(),
  /** A data URI holding a base64 PNG. */
  encodedSignature: z.string().nullish(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  /** One for each laboratory asked to route results. */
  connections: z.array(providerConnectionSchema).nullish(),
})

/** §4.4 */
export const retiredProviderSchema = z.object({
  object: open(['provider']),
  providerNumber: z.string(),
  deleted: z.boolean(),
})

/** §4.4 */
export const routingSchema = z.object({ connections: z.array(providerConnectionSchema) })

/** §2.10 */
export const vendorSchema = z.object({
  object: open(['vendor']),
  id: z.string(),
  name: z.string(),
  /** How results reach the service from this laboratory; for people to read. */
  route: z.string().nullish(),
})
