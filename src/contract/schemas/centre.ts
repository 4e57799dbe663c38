import * as z from 'zod'

import { CENTRE_STATUSES, DAY_STATUSES, DAYS, TESTING_TYPES } from '../enums.js'
import { open, timestampSchema } from './shared.js'

/** §2.11: local 24-hour `HH:MM`; midnight as an end is `24:00`. */
export const openingPeriodSchema = z.object({
  /** When it opens, local time as 24-hour `HH:MM`. */
  opens: z.string(),
  /** When it closes, local time as 24-hour `HH:MM`; `24:00` for midnight, so always later than `opens`. */
  closes: z.string(),
})

/** §2.11 */
export const openingDaySchema = z.object({
  /** Which day of the week it is. */
  day: open(DAYS),
  /**
   * Whether the centre opens; `UNKNOWN` when the laboratory's listing could not be read or left the day out.
   */
  status: open(DAY_STATUSES),
  /** When it is open; several when the centre closes for a break. */
  periods: z.array(openingPeriodSchema),
  /** The laboratory's own wording; `null` when there is none. */
  text: z.string().nullable(),
})

/** §2.11 */
export const centreSchema = z.object({
  /** Always `collectionCentre`. */
  object: open(['collectionCentre']),
  /** The centre's id, a UUID. */
  uuid: z.string(),
  /** Id of the brand on the door. */
  pathologyProviderId: z.string(),
  /** Name of the brand on the door. */
  pathologyProviderName: z.string(),
  /** Id of the laboratory company that the brand belongs to. */
  vendorId: z.string(),
  /** Name of the laboratory company that the brand belongs to. */
  vendorName: z.string(),
  /** The laboratory's own name for the centre; it may repeat within a town, so show the address too. */
  name: z.string(),
  /** The building or clinic; `null` when there is none. */
  venueName: z.string().nullable(),
  /** Street address. */
  address: z.string(),
  /** City or suburb. */
  city: z.string(),
  /** State or territory, abbreviated. */
  state: z.string(),
  /** Country, as a short code. */
  country: z.string(),
  /** Postcode, as a string so that leading zeros survive. */
  postcode: z.string(),
  /** Latitude in degrees; `null` when there is none. */
  lat: z.number().nullable(),
  /** Longitude in degrees; `null` when there is none. */
  lng: z.number().nullable(),
  /** Phone number; `null` when there is none. */
  phone: z.string().nullable(),
  /** Laboratory notices, such as holidays and one-off closures; `null` when there are none. */
  notes: z.string().nullable(),
  /** Where to book a visit; `null` when there is nowhere. */
  bookingUrl: z.string().nullable(),
  /** What the centre does, in the laboratory's words: text to show, not values to filter by. */
  services: z.array(z.string()),
  /** Seven days, Monday first; `null` means unknown, not closed. */
  openingHours: z.array(openingDaySchema).nullable(),
  /** What kinds of testing the centre does. */
  testingTypes: z.array(open(TESTING_TYPES)),
  /** Whether the laboratory still lists the centre (§3.4). */
  status: open(CENTRE_STATUSES),
  /** Kilometres in a straight line; only in a search around a point. */
  distanceKm: z.number().optional(),
  /** When a laboratory's listing last had the centre, ISO 8601. */
  lastSeenAt: timestampSchema,
})
