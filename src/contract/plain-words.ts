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

// §2
/**
 * Fields of responses whose names have several words. An error message may contain only the entire name, because a
 * single word of the name, such as "abnormal", can state a finding.
 */
export const RESPONSE_FIELDS = `
  actionNeededReason additionalRanges biomarkerSummary bookingUrl bulkBilled canonicalUnit commonName confirmedAt
  consentedAt createdAt deletedAt distanceKm emailSentAt formattedValue grandTotal grandTotalIncTax
  grandTotalIncTaxWithoutBulkDiscounts grandTotalWithoutBulkDiscounts hasSignature highRange isAbnormal labPatient
  lastSeenAt lowRange maximumDays medicareListed medicareNumber minimumDays mostCommonUnit openingHours
  orderingPractitionerClinicalNotes pathologyProviderId pathologyProviderName priceCents productId productName
  providerId providerName refIntervalHigh refIntervalLow referralAttachment referralType referralUuid
  resultAttachment resultDate resultsUuid reviewedBy routingMessage sampleType shortName signatureSignedAt
  standardStatus subTotal subValueType testsTotal totalWithoutMarkup turnAroundTimeAverage turnAroundTimes
  updatedAt valueType vendorId vendorName venueName
`
  .trim()
  .split(/\s+/)

/**
 * Words of error messages from HTTP services and network connections, and verbs in the names of OAuth scopes. The words
 * of {@link ERROR_CODES} and {@link REQUEST_FIELDS} are added to them. A word that states a finding, such as
 * "positive", must not be in this list.
 */
const WORDS = `
  aborted above accept acceptable accepted access account across address admin after again all allowed alphabet
  already also amount an and another antimeridian any api applies are array as assigned at attempt audience
  authentication authorised authorized available bad base64 be been before begin being belong belongs below
  beneficiary between biomarker biomarkers birth blank body boolean both box brand breaks bundle bundles but by
  bytes calculate calendar called calls cancel cannot card carried catalogue category centre centres certificate
  chain change changed changes character characters check client closed closes code codes collection combination
  comma complete computed confirmed conflict connect connection connections contain contains content could create
  created credentials credit cursors data date dates days dd decimal default delete deleted denied department
  dependant description did digit digits disconnected discount discounts do does duplicate dva each edge edges
  eight eighth either empty enabled encoded end endpoint entries entry error errors established event every
  exactly exceed exceeded exceeds exist exists expected expired expires fail failed fails fake false fee fees
  fetch field fields file filter filters find first five for forbidden form format found four from future gateway
  gave general get getaddrinfo given grant granted greater has have header headers hh host hostname http https
  hyphen hyphens id identity ids if image in including incorrect index input insufficient integer internal into
  invalid invoice irn is issue issued issuer it items its json jwt key keys km know known laboratories laboratory
  last later latitude least length less letter letters like limit limited line list listed listing lists local
  location locations long longer longitude loopback lower manage mandatory many mapping match matches maximum may
  mean media medicare message method min minimum missed missing mm more most multiple must names need needed needs
  network never new next nine no non none nor not null number numbers numeric object obtain of offline on once one
  only opens operation option optional options or order ordered ordering orders organisation origin other out over
  overflow own padded page pages parameter parameters part past patch path paths patient payload pdf peer perform
  periods permission permissions permit permitted person plain platform please png point policy position post
  postal postcode practitioner present price prices principal private privilege privileges production profile
  property provenance provide provided provider providers proxy public put query quota radius range rate reach
  reached reaches read reading reason received recognised record records referral referrals refresh refused
  registered reissue remove removed repeat repeated report reports request requested requests require required
  requires reset resource response restricted result results retired retry right rights role roles route routing
  same schedule scope scopes seconds secure see self send sent server service services set seven shape short
  should side signature signed since six size slash slow socket space spaces specification specified specify ssl
  staging standard status statuses string subscription success such suffix support supported surname tax
  temporarily ten terminated test text than that the their them then there these they this three throttled time
  timeout times timestamp tls to token tokens too total totals true try twice two type types unable unauthorised
  unauthorized unavailable under unexpected unexpectedly unique unit unknown unlisted unrecognised unrecognized
  unsupported until update updated upgrade upload uploads upper uri use used user uuid v1 valid validation value
  values vendor verify version veterans view visibility war was webhook webhooks were what when where which while
  who whole with without words write wrong yet you your yyyy zero
`

const PLAIN: ReadonlySet<string> = new Set([
  ...wordsOf(WORDS),
  ...REQUEST_FIELDS.flatMap(wordsOf),
  ...Object.entries(ERROR_CODES).flatMap(([code, { meaning }]) => [...wordsOf(code), ...wordsOf(meaning)]),
])

const RESPONSE_FIELD_NAMES: ReadonlySet<string> = new Set(RESPONSE_FIELDS)

/** Maximum length of a plain text without letters and digits, such as `--`. */
const LONGEST_PUNCTUATION = 2

/**
 * Returns `true` when a text consists only of known technical words, so that an error message may show the text. The
 * check makes personal data very unlikely, but does not exclude it: a name such as `Grant Page` passes. A number such
 * as `42` is not a known word. A few names with a digit, such as `addressLine1` and `v1`, are known words.
 */
export function isPlain(text: string): boolean {
  const parts = text.split('.').filter((part) => !RESPONSE_FIELD_NAMES.has(part))
  const rest = parts.join('.')
  const words = wordsOf(rest)
  return words.length === 0 ? rest.length <= LONGEST_PUNCTUATION : words.every((word) => PLAIN.has(word))
}

/** Returns the words of a text in lower case. Names such as `medicareCardNumber` and `INVALID_PAYLOAD` are split. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
