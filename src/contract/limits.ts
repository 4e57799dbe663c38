/** Largest page, and the default one, of every list but collection centres (§8). */
export const MAX_PAGE_SIZE = 20
export const DEFAULT_PAGE_SIZE = 20

/** Page sizes of the collection centre list (§4.5, §8). */
export const MAX_CENTRE_PAGE_SIZE = 10_000
export const DEFAULT_CENTRE_PAGE_SIZE = 50

/** Limits of the collection centre filters (§4.5, §8). */
export const MAX_CENTRE_UUIDS = 100
export const MAX_SEARCH_LENGTH = 100
export const MAX_RADIUS_KM = 5_000
export const POSTCODE_DIGITS = 4

/** How long placing an order is known to take, in milliseconds; it can take longer (§4.1, §8). */
export const ORDER_LATENCY_MS = 10_000

/** How long a webhook endpoint has to answer, in milliseconds (§6, §8). */
export const WEBHOOK_RESPONSE_MS = 3_000

/** Attempts at one delivery, the first included (§6, §8). */
export const WEBHOOK_ATTEMPTS = 5

/** Milliseconds from failed attempt `attempt` (1 is the first) to the next: its square in minutes (§6). */
export function webhookRetryDelayMs(attempt: number): number {
  return attempt * attempt * 60_000
}

/** How often the service picks up deliveries that are due, in milliseconds (§6). */
export const WEBHOOK_PICK_UP_MS = 60_000

/** About the largest delivery body, in bytes (§6, §8). */
export const MAX_DELIVERY_BYTES = 250 * 1024

/** Digits of a Medicare card number: with the IRN on a Medicare order, or without it elsewhere (§8). */
export const MEDICARE_CARD_DIGITS_WITH_IRN = 11
export const MEDICARE_CARD_DIGITS = 10

/** Characters of a Medicare provider number (§8). */
export const PROVIDER_NUMBER_LENGTH = 8

/** Shortest names and phone number an update takes (§4.1, §8). */
export const MIN_NAME_LENGTH = 2
export const MIN_PHONE_LENGTH = 6

/** Lifetimes shown in the reference response, in seconds (§5, §8). */
export const ACCESS_TOKEN_SECONDS = 3_600
export const REFRESH_TOKEN_SECONDS = 2_592_000

/** Weekly listings a centre is missing from before it is retired (§3.4). */
export const MISSING_WEEKS_BEFORE_RETIRED = 3
