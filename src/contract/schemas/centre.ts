import * as z from 'zod'

import { CENTRE_STATUSES, DAY_STATUSES, DAYS, TESTING_TYPES } from '../enums.js'
import { open, timestampSchema } from './shared.js'

/** §2.11: local 24-hour `HH:MM`; midnight as an end is `24:00`. */
export const openingPeriodSchema = z.object({ opens: z.string(), closes: z.string() })

/** §2.11 */
export const openingDaySchema = z.object({
  day: open(DAYS),
  /** `UNKNOWN` when the laboratory's listing could not be read or left the day out. */
  status: open(DAY_STATUSES),
  /** Several when the centre closes for a break. */
  periods: z.array(openingPeriodSchema),
  /** The laboratory's own wording. */
  text: z.string().nullable(),
})

/** §2.11 */
export const centreSchema = z.object({
  object: open(['collectionCentre']),
  uuid: z.string(),
  /** The brand on the door. */
  pathologyProviderId: z.string(),
  pathologyProviderName: z.string(),
  /** The brand's parent company. */
  vendorId: z.string(),
  vendorName: z.string(),
  /** The laboratory's own name; it may repeat within a town. */
  name: z.string(),
  /** Building or clinic. */
  venueName: z.string().nullable(),
  address: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  /** A string, so that leading zeros survive. */
  postcode: z.string(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  phone: z.string().nullable(),
  /** Laboratory notices, such as holidays and one-off closures. */
  notes: z.string().nullable(),
  bookingUrl: z.string().nullable(),
  /** Display text in the laboratory's words. */
  services: z.array(z.string()),
  /** Seven days, Monday first; `null` means unknown, not closed. */
  openingHours: z.array(openingDaySchema).nullable(),
  testingTypes: z.array(open(TESTING_TYPES)),
  status: open(CENTRE_STATUSES),
  /** Kilometres in a straight line; only in a search around a point. */
  distanceKm: z.number().optional(),
  lastSeenAt: timestampSchema,
})
