import { ConflictError, NotFoundError } from 'pathology-sdk'
import { type Catalogue, providerNumber } from '../catalogue.js'
import { Possible } from '../ledger.js'
import type { Attempt, Session } from '../session.js'

const SIGNATURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** Each session has numbers of its own. */
const FIRST_STEM = 600_000
const STEMS = 5_000

/** The name of the session's own record in the ledger. */
function entryOf({ ledger }: Session, number: string): Possible<string | undefined> {
  const entry = ledger.providers.get(number) ?? new Possible<string | undefined>(undefined)
  ledger.providers.set(number, entry)
  return entry
}

function note(session: Session, number: string, name: string | undefined, attempt: Attempt<unknown>): void {
  entryOf(session, number).changed(name, attempt.said)
  if (attempt.said !== 'done' && attempt.aborted) session.providerNumber = undefined
}

export async function saveProvider(session: Session): Promise<void> {
  session.providerNumber ??= providerNumber(FIRST_STEM + session.index * STEMS + (session.next() % STEMS))
  const number = session.providerNumber
  const name = session.unique('Dr')
  const attempt = await session.attempt('providers.save', (options) =>
    session.client.providers.save(
      { providerNumber: number, name, address: '1 Clinic Road', encodedSignature: SIGNATURE },
      options,
    ),
  )
  note(session, number, name, attempt)
  if (attempt.said === 'done')
    session.expect(attempt.value.name === name, `${number}: saved, and not its name`)
}

export async function updateProvider(session: Session): Promise<void> {
  const number = session.providerNumber
  if (number === undefined) return
  const name = session.unique('Dr')
  const attempt = await session.attempt('providers.update', (options) =>
    session.client.providers.update(number, { name }, options),
  )
  note(session, number, name, attempt)
  if (attempt.said === 'done')
    session.expect(attempt.value.name === name, `${number}: changed, and not its name`)
}

export async function retireProvider(session: Session): Promise<void> {
  const number = session.providerNumber
  if (number === undefined) return
  const attempt = await session.attempt('providers.retire', (options) =>
    session.client.providers.retire(number, options),
  )
  note(session, number, undefined, attempt)
}

export async function requestRouting(session: Session, { vendors }: Catalogue): Promise<void> {
  const number = session.providerNumber
  if (number === undefined || entryOf(session, number).has(undefined)) return
  const attempt = await session.attempt('providers.requestRouting', (options) =>
    session.client.providers.requestRouting(
      number,
      {
        vendorIds: [session.dice.pick(vendors)],
        attestation: { attestedBy: 'Dr Ada Roe', doctorSignedAt: new Date('2026-03-02T00:00:00Z') },
      },
      options,
    ),
  )
  if (attempt.said === 'done') return
  const { error } = attempt
  session.expect(
    !(error instanceof NotFoundError || error instanceof ConflictError),
    `${number}: ${String(error)}`,
  )
}
