import { type Order, OrderOutcomeUnknownError, orderKeyOf, type PlacedOrder } from 'pathology-sdk'
import type { Catalogue } from '../catalogue.js'
import type { OrderEntry, Said } from '../ledger.js'
import type { Attempt, Session } from '../session.js'

/** Maximum number of referrals of a session. */
const KEPT = 8

const KEYS = [
  { key: 'generated', weight: 7 },
  { key: 'own', weight: 3 },
] as const

/** Contents of an order, and the number of its referrals (§4.1 rule 4). */
const CONTENTS = [
  { tests: true, medicare: false, apiVersion: '1.0.0', makes: 1, weight: 1 },
  { tests: true, medicare: false, apiVersion: '1.1.0', makes: 1, weight: 6 },
  { tests: false, medicare: true, apiVersion: '1.1.0', makes: 1, weight: 1 },
  { tests: true, medicare: true, apiVersion: '1.1.0', makes: 2, weight: 3 },
] as const

/** Orders twice with the same key, as a job that runs again does. */
export async function placeOrder(session: Session, catalogue: Catalogue): Promise<void> {
  const { dice, ledger } = session
  const content = dice.weighted(CONTENTS)
  const { key } = dice.weighted(KEYS)
  const order = makeOrder(session, catalogue, content)
  const entry: OrderEntry = {
    referenceNumber: order.referenceNumber,
    makes: content.makes,
    said: 'not done',
    uuids: [],
  }
  ledger.orders.push(entry)
  const orderKey = { generated: undefined, own: session.unique('key') }[key]
  const since = key === 'own' ? new Date(session.now()) : undefined
  const { apiVersion } = content
  const place = (): Promise<Attempt<PlacedOrder>> =>
    session.attempt('referrals.create', (options) =>
      session.client.referrals.create(order, { ...options, orderKey, since, apiVersion }),
    )
  const first = await place()
  note(session, entry, first)
  if (key !== 'own' || wasAborted(first) || !dice.chance(0.5)) return
  note(session, entry, await place())
}

function note(session: Session, entry: OrderEntry, attempt: Attempt<PlacedOrder>): void {
  entry.said = together(entry.said, attempt.said)
  if (attempt.said === 'done') {
    keep(session, entry, attempt.value)
    return
  }
  const { error } = attempt
  if (error instanceof OrderOutcomeUnknownError) entry.error = error
  else if (attempt.said === 'unknown' && !wasAborted(attempt))
    session.problem(
      `${entry.referenceNumber}: unknown, but not an OrderOutcomeUnknownError: ${String(error)}`,
    )
}

/** Outcome of two orders with the same key. */
function together(first: Said, second: Said): Said {
  if (first === 'done' || second === 'done') return 'done'
  return first === 'unknown' || second === 'unknown' ? 'unknown' : 'not done'
}

function wasAborted(attempt: Attempt<unknown>): boolean {
  return attempt.said !== 'done' && attempt.aborted
}

function keep(session: Session, entry: OrderEntry, { referrals, orderKey }: PlacedOrder): void {
  const { referenceNumber, makes } = entry
  const uuids = referrals.map(({ uuid }) => uuid).sort()
  session.expect(
    uuids.length === makes && new Set(uuids).size === makes,
    `${referenceNumber}: ${uuids.length} referrals, not ${makes}`,
  )
  session.expect(
    entry.uuids.length === 0 || entry.uuids.join() === uuids.join(),
    `${referenceNumber}: the same key gave other referrals`,
  )
  entry.uuids = uuids
  for (const referral of referrals) {
    session.expect(
      referral.referenceNumber === referenceNumber,
      `${referenceNumber}: someone else's referral`,
    )
    session.expect(orderKeyOf(referral) === orderKey, `${referenceNumber}: another order key`)
    session.ledger.referral(referral.uuid)
    if (session.referrals.length < KEPT && session.referrals.every(({ uuid }) => uuid !== referral.uuid)) {
      session.referrals.push({ uuid: referral.uuid, referenceNumber, since: new Date(referral.createdAt) })
    }
  }
}

function makeOrder(
  session: Session,
  { tests, medicareTests, providerNumbers }: Catalogue,
  content: (typeof CONTENTS)[number],
): Order {
  const { dice, name } = session
  const person = {
    firstName: dice.pick(['Ada', 'Bruno', 'Chandra', 'Dinah']),
    lastName: dice.pick(['Roe', 'Tan', 'Papadopoulos', "O'Neil"]),
    email: `${name}@example.com`,
    phone: '0400000000',
    address: { addressLine1: '1 Long Road', city: 'Darwin', state: 'NT', postCode: '0810', country: 'AU' },
    dob: '1984-02-29',
    gender: 'female',
  } as const
  return {
    ...person,
    referenceNumber: session.unique('ref'),
    ...(content.tests ? { tests: [dice.pick(tests), dice.pick(tests)] } : {}),
    ...(content.medicare
      ? {
          medicareTests: [dice.pick(medicareTests)],
          medicareCardNumber: '2951 87312 5 1',
          orderingPractitioner: {
            name: 'Dr Ada Roe',
            address: '1 Clinic Road',
            providerNumber: dice.pick(providerNumbers),
          },
        }
      : {}),
    ...(dice.chance(0.3) ? { metadata: { clinic: 'north' } } : {}),
  }
}

/** Looks an order up again whose outcome stayed unknown. */
export async function recoverOrder(session: Session): Promise<void> {
  const open = session.ledger.orders.filter(
    ({ said, error, referenceNumber }) =>
      said === 'unknown' && error !== undefined && referenceNumber.includes(`-${session.name}-`),
  )
  const entry = session.dice.chance(0.5) ? open.at(-1) : open[0]
  if (entry?.error === undefined) return
  const { error } = entry
  const attempt = await session.attempt('recover', () => error.recover())
  if (attempt.said !== 'done' || attempt.value === undefined) return
  entry.said = 'done'
  session.expect(attempt.value.recovered, `${entry.referenceNumber}: recovered, and not marked so`)
  keep(session, entry, attempt.value)
}
