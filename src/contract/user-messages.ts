import { completeIssue, type IssueDraft, type RequestIssue } from './issues.js'

/**
 * Labels of fields in a form, each with its article. The label of a complete path takes precedence over the label
 * of the path's last field.
 */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['firstName', 'a first name'],
  ['lastName', 'a last name'],
  ['email', 'an email address'],
  ['phone', 'a phone number'],
  ['address', 'an address'],
  ['addressLine1', 'a street address'],
  ['addressLine2', 'the second line of the address'],
  ['city', 'a suburb'],
  ['state', 'a State or territory'],
  ['postCode', 'a postcode'],
  ['country', 'a country'],
  ['dob', 'a date of birth'],
  ['gender', 'a gender'],
  ['referenceNumber', 'a reference'],
  ['tests', 'a test'],
  ['bundleId', 'a bundle'],
  ['medicareTests', 'a Medicare test'],
  ['medicareCardNumber', 'a Medicare card number'],
  ['dvaNumber', 'a DVA file number'],
  ['clinicalNotes', 'the clinical notes'],
  ['orderingPractitioner', 'the ordering doctor'],
  ['orderingPractitioner.name', "the doctor's name"],
  ['orderingPractitioner.address', "the doctor's address"],
  ['providerNumber', "the doctor's provider number"],
  ['name', 'a name'],
  ['title', 'a title'],
  ['encodedSignature', 'a signature'],
  ['vendorIds', 'a laboratory'],
  ['attestedBy', 'the name of the person who attests the signature'],
  ['doctorSignedAt', 'the time of the signature'],
  ['url', 'a web address'],
  ['events', 'an event'],
])

/** Fields whose value a person chooses from a list in a form. */
const CHOSEN: ReadonlySet<string> = new Set([
  'gender',
  'tests',
  'medicareTests',
  'bundleId',
  'vendorIds',
  'events',
])

/** Parts of a user message about a field: the verb, and the label with "a" and with "the". */
interface FieldWords {
  readonly verb: 'Enter' | 'Choose'
  readonly one: string
  readonly the: string
}

type Sentence = (words: FieldWords, params: NonNullable<RequestIssue['params']>) => string

const enter: Sentence = ({ verb, one }) => `${verb} ${one}`
const check: Sentence = ({ the }) => `Check ${the}`
const checkCard: Sentence = ({ the }) => `Check ${the}: one of its digits is not correct`

const SENTENCES: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ['required', enter],
  ['required-with', enter],
  ['empty', enter],
  ['choice', ({ one }) => `Choose ${one} from the list`],
  ['min-length', ({ the }, { minimum }) => `Enter at least ${String(minimum)} characters for ${the}`],
  ['max-length', ({ the }, { maximum }) => `Enter at most ${String(maximum)} characters for ${the}`],
  ['min-entries', ({ one }) => `Choose ${one}`],
  ['at-least-one', () => 'Choose at least one test or a bundle'],
  ['date', ({ one }) => `Enter ${one} that exists, with day, month and year`],
  ['email', ({ one }) => `Enter ${one} such as name@example.com`],
  ['card-empty', enter],
  ['card-characters', ({ the }) => `Enter only the digits of ${the}`],
  ['card-length', ({ the }) => `Enter all 10 digits of ${the}`],
  ['card-first-digit', checkCard],
  ['card-check-digit', checkCard],
  ['card-issue-number', checkCard],
  ['card-irn', () => 'Check the digit next to the name on the Medicare card'],
  ['card-irn-missing', ({ the }) => `Add the digit next to the name on the card to ${the}`],
  ['provider-number', ({ the }) => `Check ${the}: it has eight characters`],
  ['future-date', ({ one }) => `Enter ${one} that is not in the future`],
  ['early-date', ({ one }, { earliest }) => `Enter ${one} that is not before ${String(earliest)}`],
  ['phone-digits', ({ one }, { minimum }) => `Enter ${one} with at least ${String(minimum)} digits`],
  ['unknown-state', () => 'Choose a State or territory of Australia'],
  ['unknown-postcode', () => 'Check the postcode: it has four digits'],
  ['postcode-and-state', () => 'Check the postcode and the State: they do not match'],
  ['duplicate', ({ the }) => `Remove ${the} that is chosen twice`],
  ['unknown-test', ({ one }) => `Choose another test: ${one} in the list is not available`],
  ['unknown-bundle', () => 'Choose another bundle: this one is not available'],
  ['not-under-medicare', () => 'Choose another test: this one is not available under Medicare'],
])

/** Sentence for an unknown field: the person cannot correct it, because the form does not show it. */
const UNKNOWN_FIELD_SENTENCE = 'There is a problem with this form: load the page again, then try again'

/** Adds the `userMessage`: a sentence for the person who fills in a form. */
export function withUserMessage(draft: IssueDraft): RequestIssue {
  if (draft.rule === 'unknown-field') return completeIssue({ userMessage: UNKNOWN_FIELD_SENTENCE, ...draft })
  const words = wordsOf(draft.field)
  if (words === undefined || draft.userMessage !== undefined) return completeIssue(draft)
  const sentence = SENTENCES.get(draft.rule ?? 'other') ?? check
  return completeIssue({ ...draft, userMessage: sentence(words, draft.params ?? {}) })
}

function wordsOf(field: string | undefined): FieldWords | undefined {
  const path = field?.replace(/\[\d+\]/g, '') ?? ''
  const name = path.slice(path.lastIndexOf('.') + 1)
  const one = LABELS.get(path) ?? LABELS.get(name)
  if (one === undefined) return undefined
  return { verb: CHOSEN.has(name) ? 'Choose' : 'Enter', one, the: one.replace(/^an? /, 'the ') }
}
