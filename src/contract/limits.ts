// §8
/** Maximum and default page size of every paged list except collection centres. */
export const MAX_PAGE_SIZE = 20
export const DEFAULT_PAGE_SIZE = 20

// §4.5, §8
export const MAX_CENTRE_PAGE_SIZE = 10_000
export const DEFAULT_CENTRE_PAGE_SIZE = 50

// §4.5, §8
export const MAX_CENTRE_UUIDS = 100
export const MAX_SEARCH_LENGTH = 100
export const MAX_RADIUS_KM = 5_000
export const POSTCODE_DIGITS = 4

// §6, §8
/** Time limit for the response of a webhook endpoint, in milliseconds. */
export const WEBHOOK_RESPONSE_MS = 3_000

// §6, §8
/** Attempts for one delivery, including the first. */
export const WEBHOOK_ATTEMPTS = 5

// §6
/**
 * Returns the milliseconds from a failed attempt to the next attempt: the square of the number of the failed attempt,
 * in minutes. The first attempt has the number 1.
 */
export function webhookRetryDelayMs(attempt: number): number {
  return attempt * attempt * 60_000
}

// §6
/** Interval at which the service sends the retries that are due, in milliseconds. */
export const WEBHOOK_PICK_UP_MS = 60_000

// §8
/** Number of digits of a Medicare card number, with and without the IRN. Medicare orders require the IRN. */
export const MEDICARE_CARD_DIGITS_WITH_IRN = 11
export const MEDICARE_CARD_DIGITS = 10

// §8
export const PROVIDER_NUMBER_LENGTH = 8

// §4.1, §8
/** Minimum lengths of names and phone numbers in an update of a referral. */
export const MIN_NAME_LENGTH = 2
export const MIN_PHONE_LENGTH = 6

// §5, §8
/** Token lifetimes of the documented example, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3_600
export const REFRESH_TOKEN_SECONDS = 2_592_000
