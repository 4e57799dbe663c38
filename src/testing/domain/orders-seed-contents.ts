import type { KnownReferralOrigin } from '../../contract/enums.js'
import { checkMedicareCardNumber } from '../../contract/identifier-checks.js'
import type { OrderingPractitioner, Person } from '../../contract/types.js'
import { type BundleRecord, isBloodTest, type TestRecord } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import type { NewReferral } from './referrals-create.js'

const ORIGINS: readonly KnownReferralOrigin[] = [
  'API',
  'API',
  'CONSUMER_WEBSITE',
  'STORE_INTEGRATION',
  'UNKNOWN',
]
const BUNDLE_ORIGINS: readonly KnownReferralOrigin[] = ['API', 'BUNDLE_PURCHASE', 'CONSUMER_WEBSITE']

/** Patterns of the ids of tests and bundles that are only for women or only for men. */
const FOR_WOMEN = /female|ovary|mullerian|pregnan|hcg|ca-125|menopause|hpv/
const FOR_MEN = /^male|psa/

/** Tests, bundles and doctors for the initial referrals. */
export interface SeedMaterial {
  readonly bundles: readonly BundleRecord[]
  readonly bloodTests: readonly TestRecord[]
  readonly medicareTests: readonly TestRecord[]
  readonly doctors: readonly OrderingPractitioner[]
}

/** Tests of an initial referral, with the fields of its bundle or its Medicare order. */
export type SeededContents = Pick<NewReferral, 'tests'> & Partial<NewReferral>

/** Reads the tests, bundles and doctors from the catalogue and the provider records. */
export function readSeedMaterial(context: FakeContext): SeedMaterial {
  const { catalogue, providers } = context.state
  return {
    bundles: catalogue.bundles.filter((bundle) => bundle.organisation === 'own'),
    bloodTests: catalogue.tests.filter(isBloodTest),
    medicareTests: catalogue.tests.filter((test) => test.medicareListed),
    doctors: providers.records
      .filter((record) => record.organisation === 'own' && record.signature !== null)
      .map(({ name, address, providerNumber }) => ({ name, address, providerNumber })),
  }
}

/** Returns the contents of a commercial referral: a bundle for at most one order in three, otherwise some tests. */
export function commercial(
  context: FakeContext,
  material: SeedMaterial,
  person: Person,
  place: number,
): SeededContents {
  const { random } = context
  const bundle = place % 3 === 0 ? random.pick(material.bundles) : undefined
  if (bundle === undefined || !suits(bundle.id, person)) {
    return { tests: someTests(context, material.bloodTests, person), origin: random.pick(ORIGINS) }
  }
  const { id, productId, productName, testIds } = bundle
  return { tests: testIds, bundleId: id, productId, productName, origin: random.pick(BUNDLE_ORIGINS) }
}

/** Returns the contents of a Medicare referral: a few tests that a doctor of the organisation ordered. */
export function underMedicare(context: FakeContext, material: SeedMaterial, person: Person): SeededContents {
  const { random } = context
  return {
    tests: someTests(context, material.medicareTests, person),
    medicare: true,
    orderingPractitioner: { ...random.pick(material.doctors) },
    medicareCardNumber: cardNumber(context),
    clinicalNotes: random.pick(['Tired for three months.', 'Annual review.', 'Follow-up of last result.']),
  }
}

/** Chooses one to five tests that suit the patient. */
export function someTests(context: FakeContext, tests: readonly TestRecord[], person: Person): string[] {
  const { random } = context
  const chosen = Array.from({ length: random.integer(2, 5) }, () => random.pick(tests).id)
  const suitable = [...new Set(chosen)].filter((id) => suits(id, person))
  return suitable.length > 0 ? suitable : ['full-blood-count']
}

function suits(id: string, person: Person): boolean {
  return !(person.gender === 'male' ? FOR_WOMEN : FOR_MEN).test(id)
}

function cardNumber(context: FakeContext): string {
  const stem = `${context.random.integer(2, 6)}${String(context.random.integer(0, 9_999_999)).padStart(7, '0')}`
  const cards = Array.from({ length: 10 }, (_, digit) => `${stem}${digit}1${context.random.integer(1, 4)}`)
  return cards.find((card) => checkMedicareCardNumber(card).valid) ?? '21234567011'
}
