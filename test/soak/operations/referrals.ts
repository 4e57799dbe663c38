import { NotFoundError, type PdfDocument } from 'pathology-sdk'
import type { Session } from '../session.js'

type Kept = Session['referrals'][number]

/** One of the session's referrals, which no other session changes. */
function someReferral({ dice, referrals }: Session): Kept | undefined {
  return referrals.length === 0 ? undefined : dice.pick(referrals)
}

/** An aborted change may still arrive, so its field is not changed again. */
function leave(session: Session, { uuid }: Kept): void {
  session.referrals.splice(
    session.referrals.findIndex((other) => other.uuid === uuid),
    1,
  )
}

export async function retrieveReferral(session: Session): Promise<void> {
  const mine = someReferral(session)
  if (mine === undefined) return
  const attempt = await session.attempt('referrals.retrieve', (options) =>
    session.client.referrals.retrieve(mine.uuid, options),
  )
  if (attempt.said === 'done') {
    session.expect(attempt.value.uuid === mine.uuid, `${mine.uuid}: read, and got ${attempt.value.uuid}`)
    session.expect(attempt.value.referenceNumber === mine.referenceNumber, `${mine.uuid}: another reference`)
  } else session.expect(!(attempt.error instanceof NotFoundError), `${mine.uuid}: not found`)
}

export async function updateReferral(session: Session): Promise<void> {
  const mine = someReferral(session)
  if (mine === undefined) return
  const key = session.unique('update')
  const patch = {
    metadata: { [key]: 'yes' },
    phone: `04${String(session.dice.below(100_000_000))}0000`.slice(0, 10),
  }
  const attempt = await session.attempt('referrals.update', (options) =>
    session.client.referrals.update(mine.uuid, patch, options),
  )
  session.ledger.referral(mine.uuid).updates.set(key, attempt.said)
  if (attempt.said === 'done') {
    session.expect(attempt.value.metadata?.[key] === 'yes', `${mine.uuid}: updated, and ${key} is not there`)
    session.expect(attempt.value.person.phone === patch.phone, `${mine.uuid}: updated, and not the phone`)
  } else if (attempt.aborted) leave(session, mine)
}

export async function deleteReferral(session: Session): Promise<void> {
  const mine = session.take(session.referrals)
  if (mine === undefined) return
  const attempt = await session.attempt('referrals.delete', (options) =>
    session.client.referrals.delete(mine.uuid, options),
  )
  session.ledger.referral(mine.uuid).deleted.changed(true, attempt.said)
  if (attempt.said === 'done')
    session.expect(attempt.value.deletedAt !== null, `${mine.uuid}: deleted, and there is no time of it`)
}

export async function readResult(session: Session): Promise<void> {
  const mine = someReferral(session)
  if (mine === undefined) return
  const partial = session.dice.chance(0.3)
  const made = await session.attempt('referrals.generateResults', (options) =>
    session.client.referrals.generateResults(mine.uuid, { ...options, partial }),
  )
  session.ledger.referral(mine.uuid).hasResults.changed(true, made.said)
  if (made.said !== 'done') {
    if (made.aborted) leave(session, mine)
    return
  }
  const { resultsUuid } = made.value
  if (resultsUuid === null) return session.problem(`${mine.uuid}: results, and no uuid of them`)
  session.ledger.results.add(resultsUuid)
  const read = await session.attempt('results.retrieve', (options) =>
    session.client.results.retrieve(resultsUuid, options),
  )
  if (read.said === 'done')
    session.expect(read.value.referralUuid === mine.uuid, `${resultsUuid}: of another referral`)
  else session.expect(!(read.error instanceof NotFoundError), `result ${resultsUuid}: not found`)
  if (session.dice.chance(0.3)) {
    await readDocument(session, 'results', (options) => session.client.results.document(resultsUuid, options))
  }
}

export async function readReferralDocument(session: Session): Promise<void> {
  const mine = someReferral(session)
  if (mine === undefined) return
  await readDocument(session, 'referrals', (options) => session.client.referrals.document(mine.uuid, options))
}

async function readDocument(
  session: Session,
  what: string,
  open: (options: { readonly signal: AbortSignal }) => PromiseLike<PdfDocument>,
): Promise<void> {
  const whole = session.dice.chance(0.7)
  const attempt = await session.attempt(`${what}.document`, async ({ signal }) => {
    const document = await open({ signal })
    return whole ? document.bytes({ signal }) : firstPiece(document, signal)
  })
  if (attempt.said !== 'done' || attempt.value === undefined) return
  const head = Buffer.from(attempt.value.subarray(0, 5)).toString('latin1')
  session.expect(head === '%PDF-', `a document that begins with ${head}`)
  if (!whole) return
  const end = Buffer.from(attempt.value.subarray(-16)).toString('latin1')
  session.expect(end.includes('%%EOF'), 'a document without its end')
}

/** Reads only as many bytes as it needs, as a preview does. */
async function firstPiece(document: PdfDocument, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const reader = document.stream({ signal }).getReader()
  try {
    return (await reader.read()).value
  } finally {
    await reader.cancel()
  }
}
