import type { CursorIterator } from 'pathology-sdk'
import type { Catalogue } from '../catalogue.js'
import { GENERATED_AT } from '../service-faults.js'
import type { Session } from '../session.js'

/** Number of times that an interrupted iteration is continued. */
const RESUMES = 30

/**
 * Iterates to the end of a list, and continues after a failure. Returns `undefined` after too many failures.
 */
async function walk<T>(
  session: Session,
  operation: string,
  list: (cursor: string | undefined, options: { readonly signal: AbortSignal }) => CursorIterator<T>,
): Promise<T[] | undefined> {
  const all: T[] = []
  let cursor: string | undefined
  for (let round = 0; round < RESUMES; round += 1) {
    const attempt = await session.attempt(operation, async (options) => {
      for await (const page of list(cursor, options).pages()) {
        all.push(...page.items)
        cursor = page.cursor
      }
    })
    if (attempt.said === 'done') return all
  }
  return undefined
}

/** Every result that existed before the iteration must be in it. */
export async function walkResults(session: Session): Promise<void> {
  const known = [...session.ledger.results]
  const all = await walk(session, 'results.list', (cursor, options) =>
    session.client.results.list({ sort: 'asc', prefetch: session.dice.chance(0.5), cursor }, options),
  )
  if (all === undefined) return
  const seen = new Set(all.map(({ uuid }) => uuid))
  const lost = known.filter((uuid) => !seen.has(uuid))
  session.expect(lost.length === 0, `${lost.length} results lost by a walk: ${lost.slice(0, 3).join()}`)
  session.expect(seen.size === all.length, `${all.length - seen.size} results twice in a walk`)
}

/** Reads only the newest referrals. */
export async function newestReferrals(session: Session): Promise<void> {
  const limit = 1 + session.dice.below(60)
  const attempt = await session.attempt('referrals.list', (options) =>
    session.client.referrals
      .list({ sort: 'desc', prefetch: session.dice.chance(0.5) }, options)
      .toArray({ limit }),
  )
  if (attempt.said !== 'done') return
  const times = attempt.value.map(({ createdAt }) => createdAt).filter((time) => time !== GENERATED_AT)
  session.expect(times.join() === [...times].sort().reverse().join(), 'referrals that are not newest first')
  session.expect(times.length <= limit, `${times.length} referrals, and the limit was ${limit}`)
}

export async function findReferral(session: Session): Promise<void> {
  const mine = session.referrals.at(-1)
  if (mine === undefined) return
  const attempt = await session.attempt('referrals.findByReferenceNumber', async (options) => {
    const { referenceNumber, since } = mine
    for await (const { uuid } of session.client.referrals.findByReferenceNumber(referenceNumber, {
      ...options,
      since,
    })) {
      if (uuid === mine.uuid) return true
    }
    return false
  })
  if (attempt.said === 'done')
    session.expect(attempt.value, `${mine.referenceNumber}: not found by its reference`)
}

export async function readCentres(session: Session): Promise<void> {
  const states = [session.dice.pick(['TAS', 'NT', 'ACT'] as const)]
  const all = await walk(session, 'centres.list', (cursor, options) =>
    session.client.centres.list({ states, count: 60, cursor }, options),
  )
  if (all === undefined) return
  session.expect(
    all.every(({ state }) => state === states[0]),
    'centres of another state',
  )
  session.expect(new Set(all.map(({ uuid }) => uuid)).size === all.length, 'centres twice in a walk')
  const [centre] = all
  if (centre === undefined) return session.problem(`no centres in ${states.join()}`)
  await session.attempt('centres.retrieve', (options) =>
    session.client.centres.retrieve(centre.uuid, options),
  )
}

export async function readCatalogues(session: Session, catalogue: Catalogue): Promise<void> {
  const { client, dice } = session
  const reads: readonly (() => Promise<unknown>)[] = [
    () =>
      session.attempt('tests.list', (options) =>
        client.tests.list({ include: ['biomarkers'] }, options).toArray(),
      ),
    () => session.attempt('biomarkers.list', (options) => client.biomarkers.list({}, options).toArray()),
    () => session.attempt('bundles.list', (options) => client.bundles.list({}, options).toArray()),
    () => session.attempt('vendors.list', (options) => client.vendors.list({}, options).toArray()),
    () =>
      session.attempt('providers.list', (options) =>
        client.providers.list({}, options).toArray({ limit: 40 }),
      ),
    () => session.attempt('webhooks.eventNames', (options) => client.webhooks.eventNames(options)),
    () =>
      session.attempt('prices.calculate', (options) =>
        client.prices.calculate({ tests: [dice.pick(catalogue.tests)] }, options),
      ),
  ]
  await dice.pick(reads)()
}
