import { ERROR_CODES } from '../../contract/error-codes.js'

/** The words in which services refuse requests and connections break, beside those of {@link ERROR_CODES}. */
const WORDS = `
  aborted above accept accepted access account active address after all allowed already also an and
  another any api are array as at attestation attested available base64 be been before being below
  beneficiary between birth blank body boolean both box bundles but by bytes cannot centre centres
  certificate chain character characters city client closed code codes collection combination comma
  commercial complete connect connection contain contains could country created credentials credit cursor
  cursors data date dates dd decimal deleted did digit digits disconnected dob doctor does duplicate dva
  each east either email empty enabled encoded end error errors established event events every exceed
  exceeds exist exists expected expired failed fails fake false female fetch field fields file filter
  filters find first for format found from future gave gender general get getaddrinfo given greater has
  have header headers hh host hostname http https id ids if in include including incorrect input integer
  internal into invalid irn is issued issuer it items its json key keys km know known laboratory last lat
  latitude least length less letter letters limit line list listed lists lng local long longer longitude
  lower male many match matches maximum medicare message metadata method min minimum missing mm more most
  must name names needed needs negative network no non none north not notes null number numbers numeric
  object of old on one only optional or order ordered ordering orders organisation other out over overflow
  own page pages parameter parameters part past path paths patient payload pdf peer phone please png point
  positive post postal postcode postcodes practitioner present private profile property provide provided
  provider providers proxy public put query radius range rate reach reached reaches read reading reason
  received recognised record records reference referral referrals registered removed request requested
  requests require required requires reset resource response result results retry right routing s same
  search seconds secure self server service services set shape short should side signature signed since
  size socket sort south specified ssl state states status string subscription success such suffix support
  supported surname temporarily terminated test tests text than that the there these they this time
  timeout timestamp title tls to token too true try type types unable unauthorised unauthorized
  unavailable under unexpected unexpectedly unique unknown unrecognised unrecognized unsupported until
  update updated upgrade upper url use used user uuid uuids valid validation value values vendor vendors
  verify version was webhook webhooks were west when where which while with without wrong year you your
  yyyy zero
`

const PLAIN: ReadonlySet<string> = new Set([
  ...wordsOf(WORDS),
  ...Object.entries(ERROR_CODES).flatMap(([code, { meaning }]) => [...wordsOf(code), ...wordsOf(meaning)]),
])

const SMALL_NUMBER = /^\d{1,3}$/
const API_VERSION = /^v?\d\.\d\.\d$/

/** Tells whether a text consists of words of the field and small numbers, so that it can name no one. */
export function isPlain(text: string): boolean {
  if (API_VERSION.test(text)) return true
  const parts = wordsOf(text)
  const others = parts.filter((part) => !PLAIN.has(part))
  return others.length <= 1 && others.every((part) => SMALL_NUMBER.test(part))
}

/** In lower case; `medicareCardNumber` and `INVALID_PAYLOAD` are several words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

const STATUS = /^[A-Z][A-Z_]{0,39}$/

/** A status in words. It names nobody; what does not look like one might. */
export function statusSeen(status: unknown): string {
  return typeof status === 'string' && STATUS.test(status)
    ? `its status is ${status}`
    : 'no status of it was seen'
}
