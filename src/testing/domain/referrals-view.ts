import type { Referral } from '../../contract/types.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow } from '../state/orders.js'
import { documentUrl } from './document-urls.js'

/**
 * Converts a referral to the service's response (§2.4), with a new URL of the PDF.
 *
 * @param routingMessage - Text on the Medicare referral in the response to an order; `null` in any other case.
 */
export function referralView(
  context: FakeContext,
  row: ReferralRow,
  routingMessage: string | null = null,
): Referral {
  return {
    uuid: row.uuid,
    object: 'referral',
    status: row.status,
    person: row.person,
    tests: [...row.tests],
    ...(row.bundleId === null ? {} : { bundleId: row.bundleId }),
    productId: row.productId,
    productName: row.productName,
    origin: row.origin,
    referralType: row.referralType,
    reference: row.reference,
    referenceNumber: row.referenceNumber,
    referralAttachment: hasReferralDocument(row)
      ? documentUrl(context, { kind: 'referral', uuid: row.uuid })
      : null,
    emailSentAt: row.emailSentAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    deletedAt: row.deletedAt,
    resultsUuid: row.resultsUuid,
    metadata: row.metadata,
    [context.options.medicareFieldName]: row.medicare,
    orderingPractitioner: row.orderingPractitioner,
    medicareCardNumber: row.medicareCardNumber,
    dvaNumber: row.dvaNumber,
    orderingPractitionerClinicalNotes: row.clinicalNotes,
    routingMessage,
  }
}

/** There is no PDF before the issue, during a reissue, and after a refund, a transfer or the deletion. */
export function hasReferralDocument(row: ReferralRow): boolean {
  return row.hasDocument && row.deletedAt === null
}
