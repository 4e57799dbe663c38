import type { CollectionCentre } from '../../contract/types.js'
import { brandSeed, vendorSeed } from '../seed/brands.js'
import type { CentreRecord } from '../state/centres.js'

/** A centre as the service shows it, whether in a list or alone (§2.11, §4.5). */
export function centreView(record: CentreRecord, refreshedAt: number): CollectionCentre {
  const brand = brandSeed(record.providerId)
  const vendorId = brand?.vendorId ?? ''
  return {
    object: 'collectionCentre',
    uuid: record.uuid,
    pathologyProviderId: record.providerId,
    pathologyProviderName: brand?.name ?? record.providerId,
    vendorId,
    vendorName: vendorSeed(vendorId)?.name ?? vendorId,
    name: record.name,
    venueName: record.venueName,
    address: record.address,
    city: record.city,
    state: record.state,
    country: 'AU',
    postcode: record.postcode,
    lat: record.lat,
    lng: record.lng,
    phone: record.phone,
    notes: record.notes,
    bookingUrl: record.bookingUrl,
    services: [...record.services],
    openingHours: record.openingHours === null ? null : [...record.openingHours],
    testingTypes: ['PATHOLOGY'],
    status: record.status,
    lastSeenAt: new Date(record.status === 'ACTIVE' ? refreshedAt : record.lastSeenAt).toISOString(),
  }
}
