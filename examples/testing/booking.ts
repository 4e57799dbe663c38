import { BadRequestError, InvalidRequestError, type Order, type PathologyClient } from 'pathology-sdk'

/** Result of a booking. */
export type Booking =
  | { readonly state: 'ordered'; readonly referrals: readonly string[] }
  | { readonly state: 'rejected'; readonly fields: readonly string[] }

/**
 * Places the order of a booking. A repeated call for the same booking returns the same order. This function represents your
 * own code under test.
 */
export async function book(client: PathologyClient, bookingId: string, order: Order): Promise<Booking> {
  try {
    const { referrals } = await client.referrals.create(order, { orderKey: `booking-${bookingId}` })
    return { state: 'ordered', referrals: referrals.map(({ uuid }) => uuid) }
  } catch (error) {
    if (error instanceof InvalidRequestError || error instanceof BadRequestError) {
      return { state: 'rejected', fields: error.issues.flatMap(({ field }) => field ?? []) }
    }
    throw error
  }
}

/** Returns the names of the abnormal biomarkers of a referral's result; `undefined` without a result. */
export async function abnormalValues(
  client: PathologyClient,
  referralUuid: string,
): Promise<string[] | undefined> {
  const { resultsUuid } = await client.referrals.retrieve(referralUuid)
  if (resultsUuid === null) return undefined
  const { biomarkers } = await client.results.retrieve(resultsUuid)
  return biomarkers.filter(({ isAbnormal }) => isAbnormal === true).map(({ name }) => name)
}
