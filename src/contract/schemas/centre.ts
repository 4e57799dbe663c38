import * as z from 'zod'

import { CENTRE_STATUSES, DAY_STATUSES, DAYS, TESTING_TYPES } from '../enums.js'
import { open, timestampSchema } from './shared.js'

// §2.11
export const openingPeriodSchema = z.object({
  /** Opening time, local, as 24-hour `HH:MM`. */
  opens: z.string(),
  /** Closing time, local, as 24-hour `HH:MM`. Midnight is `24:00`, so `closes` is always later than `opens`. */
  closes: z.string(),
})

// §2.11
export const openingDaySchema = z.object({
  /** Day of the week. */
  day: open(DAYS),
  /** Open or closed on this day; `UNKNOWN` if the laboratory's listing is unreadable or omits the day. */
  status: open(DAY_STATUSES),
  /** Opening periods; several if the centre closes for a break. */
  periods: z.array(openingPeriodSchema),
  /** The laboratory's own text; `null` if there is none. */
  text: z.string().nullable(),
})

// §2.11
export const centreSchema = z.object({
  /** Always `collectionCentre`. */
  object: open(['collectionCentre']),
  /** The centre's id, a UUID. */
  uuid: z.string(),
  /** Id of the pathology provider (the centre's brand). */
  pathologyProviderId: z.string(),
  /** Name of the pathology provider (the centre's brand). */
  pathologyProviderName: z.string(),
  /** Id of the laboratory company that owns the brand. */
  vendorId: z.string(),
  /** Name of the laboratory company that owns the brand. */
  vendorName: z.string(),
  /** The laboratory's name for the centre. It is not unique within a town, so show the address too. */
  name: z.string(),
  /** The building or clinic; `null` if there is none. */
  venueName: z.string().nullable(),
  /** Street address. */
  address: z.string(),
  /** City or suburb. */
  city: z.string(),
  /** Abbreviation of the state or territory. */
  state: z.string(),
  /** Country as a short code. */
  country: z.string(),
  /** Postcode as a string, which keeps leading zeros. */
  postcode: z.string(),
  /** Latitude in degrees; `null` if unknown. */
  lat: z.number().nullable(),
  /** Longitude in degrees; `null` if unknown. */
  lng: z.number().nullable(),
  /** Phone number; `null` if there is none. */
  phone: z.string().nullable(),
  /** Notices of the laboratory, such as holidays and temporary closures; `null` if there are none. */
  notes: z.string().nullable(),
  /** Booking page; `null` if there is none. */
  bookingUrl: z.string().nullable(),
  /** The centre's services as the laboratory describes them. Show this text to patients; do not use it as a filter. */
  services: z.array(z.string()),
  /** Seven days, Monday first; `null` means unknown, not closed. */
  openingHours: z.array(openingDaySchema).nullable(),
  /** Kinds of testing that the centre offers. */
  testingTypes: z.array(open(TESTING_TYPES)),
  /**
   * `ACTIVE`; `MISSING` if the laboratory's latest listing omits the centre; `RETIRED` after the centre was `MISSING`
   * for three weeks.
   */
  status: open(CENTRE_STATUSES),
  /** Distance in a straight line, in kilometres. Present only in a search around a point. */
  distanceKm: z.number().optional(),
  /** Time of the last laboratory listing with the centre, ISO 8601. */
  lastSeenAt: timestampSchema,
})
