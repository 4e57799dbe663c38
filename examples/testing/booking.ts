import { BadRequestError, InvalidRequestError, type Order, type PathologyClient } from 'pathology-sdk'

/** What became of a booking. */
export type Booking =
  | { readonly state: 'ordered'; readonly referrals: readonly string[] }
  | { readonly state: 'refused'; readonly fields: readonly string[] }

/** An integrator's own code, which the tests beside it try out: orders once for each booking. */
export async function book(client: PathologyClient, bookingId: string, order: Order): Promise<Booking> {
  try {
    const { referrals } = await client.referrals.create(order, { orderKey: `booking-${bookingId}` })
    return { state: 'ordered', referrals: referrals.map(({ uuid }) => uuid) }
  } catch (error) {
    if (error instanceof InvalidRequestError || error instanceof BadRequestError) {
      return { state: 'refused', fields: error.issues.flatMap(({ field }) => field ?? []) }
    }
    throw error
  }
}

/** Abnormal values of a referral's result, for a doctor to look at; `undefined` while there is no result. */
export async function abnormalValues(
  client: PathologyClient,
  referralUuid: string,
): Promise<string[] | undefined> {
  const { resultsUuid } = await client.referrals.retrieve(referralUuid)
  if (resultsUuid === null) return undefined
  const { biomarkers } = await client.results.retrieve(resultsUuid)
  return biomarkers.filter(({ isAbnormal }) => isAbnormal === true).map(({ name }) => name)
}
