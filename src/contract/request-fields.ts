// §4
/** Every field of every request, at any depth. */
export const REQUEST_FIELDS = `
  active address addressLine1 addressLine2 attestation attestedBy bundleId changedSince city clinicalNotes
  count country cursor dob doctorSignedAt dvaNumber east email emailReferralToCustomer encodedSignature
  events firstName gender include includeUnlisted lastName lat lng medicareCardNumber medicareTests metadata
  name north orderingPractitioner pathologyProviders phone postCode postcodes providerNumber radiusKm
  reference referenceNumber search sort south state states testingTypes tests title url uuids vendorIds
  vendors west
`
  .trim()
  .split(/\s+/)

const KNOWN: ReadonlySet<string> = new Set(REQUEST_FIELDS)

export function isRequestField(name: string): boolean {
  return KNOWN.has(name)
}

/** Maximum length of a shown path. The deepest path of a request is much shorter. */
const MAX_PATH_LENGTH = 120

/** Replaces list positions in the path of a request field by `[]`. Returns `undefined` for any other text. */
export function requestField(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_PATH_LENGTH) return undefined
  const path = text.replace(/\[\d+\]/g, '[]')
  return path.split('.').every((name) => KNOWN.has(name.replace(/(?:\[\])+$/, ''))) ? path : undefined
}
