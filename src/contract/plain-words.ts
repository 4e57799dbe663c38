import { ERROR_CODES } from './error-codes.js'

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

/**
 * Words of error messages of services and connections, in addition to those of {@link ERROR_CODES} and
 * {@link REQUEST_FIELDS}. The list contains no word that states a finding, such as "positive".
 */
const WORDS = `
  aborted above accept acceptable accepted access account address after again all allowed already also an and another
  any api are array as at attempt available bad base64 be been before being below beneficiary between biomarker
  biomarkers birth blank body boolean both box brand bundle bundles but by bytes calculate called calls cannot card carried catalogue centre
  centres certificate chain character characters check client closed code codes collection combination comma
  complete conflict connect connection contain contains content could created credentials credit cursors data
  date dates dd decimal deleted did digit digits disconnected do does duplicate dva each either empty enabled
  encoded end entries entry error errors established event every exceed exceeds exist exists expected expired
  fail failed fails fake false fetch field fields file filter filters find first for forbidden form format
  found from future gateway gave general get getaddrinfo given grant greater has have header headers hh host
  hostname http https id ids if in including incorrect input integer internal into invalid irn is issued
  issuer it items its json jwt key keys km know known laboratory last later latitude least length less letter
  letters like limit limited line list listed lists local long longer longitude lower many match matches
  maximum may medicare message method min minimum missing mm more most must names need needed needs network never
  new no non none nor not null number numbers numeric object of on once one only operation optional or order
  ordered ordering orders organisation other out over overflow own page pages parameter parameters part past
  patch path paths patient payload pdf peer permission permissions permitted please png point post postal
  postcode practitioner present private profile property provide provided provider providers proxy public
  put query radius range rate reach reached reaches read reading reason received recognised record records
  referral referrals refused registered remove removed repeat repeated request requested requests require required
  requires reset resource response result results retired retry right rights routing same scope scopes
  seconds secure see self send sent server service services set shape short should side signature signed
  since size slow socket specified ssl status statuses string subscription success such suffix support
  supported surname temporarily terminated test text than that the their them then there these they this
  time timeout times timestamp tls to token too true try type types unable unauthorised unauthorized
  unavailable under unexpected unexpectedly unique unknown unlisted unrecognised unrecognized unsupported
  until update updated upgrade upper use used user uuid v1 valid validation value values vendor verify
  version was webhook webhooks were what when where which while who with without words write wrong you your
  yyyy zero
`

const PLAIN: ReadonlySet<string> = new Set([
  ...wordsOf(WORDS),
  ...REQUEST_FIELDS.flatMap(wordsOf),
  ...Object.entries(ERROR_CODES).flatMap(([code, { meaning }]) => [...wordsOf(code), ...wordsOf(meaning)]),
])

/** Maximum length of a plain text without letters and digits, such as `--`. */
const LONGEST_PUNCTUATION = 2

/**
 * Whether a text consists only of known technical words, so that it cannot contain a name or a finding. Numbers are not
 * plain.
 */
export function isPlain(text: string): boolean {
  const words = wordsOf(text)
  return words.length === 0 ? text.length <= LONGEST_PUNCTUATION : words.every((word) => PLAIN.has(word))
}

/** Words in lower case. `medicareCardNumber` and `INVALID_PAYLOAD` are split into their words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
