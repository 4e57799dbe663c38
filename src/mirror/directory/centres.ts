import type { PathologyClient } from '../../client/client.js'
import type { CollectionCentre } from '../../contract/types.js'
import { classifyFailure, ReadJob } from '../copy/fetch-failures.js'
import { goneLimit } from '../sweep/gone.js'
import type { Claim } from '../work/work-table.js'
import { countCentres, retireCentres, storeCentres, unseenCentres } from './centre-table.js'

/** Time between two complete reads of the directory. */
const COMPLETE_EVERY_MS = 7 * 86_400_000

/** Maximum time after a read for which scheduled reads are omitted. All organisations share one directory. */
const MAX_FRESH_MS = 3_600_000

/** Maximum number of UUIDs of one request. */
const MAX_UUIDS = 100

/** Progress of the reads of the directory. All organisations share one directory. */
interface CentreState {
  /** Option `since` for the next read of changes. */
  readonly since?: string | undefined
  /** Time of the last complete read, by the database's clock. */
  readonly completeAt?: string | undefined
  /** Time of the last complete read whose unlisted centres were looked up. */
  readonly lookedUpAt?: string | undefined
}

interface DirectoryRead {
  /** Option `since` for the next read of changes. */
  readonly since: string
  /** `true` when the centres that the list lacks were looked up. */
  readonly isLookedUp: boolean
}

const STATE = `
SELECT detail, finished_at > now() - $1::double precision * interval '1 millisecond' AS "isFresh" FROM {schema}.iteration
WHERE organisation = '*' AND name = 'centres'`

// If two processes read at the same time, the later `since` is kept.
const SAVE = `
INSERT INTO {schema}.iteration AS iteration (organisation, name, state, detail, finished_at)
VALUES ('*', 'centres', 'finished', $1::jsonb, now())
ON CONFLICT (organisation, name) DO UPDATE SET detail = EXCLUDED.detail, finished_at = now()
WHERE COALESCE(iteration.detail->>'since', '') <= EXCLUDED.detail->>'since'`

interface CentresOptions {
  /** Time between two scheduled reads of one organisation, in milliseconds. */
  readonly everyMs: number
}

/** Job that reads the changes of the directory of collection centres, and once a week the complete directory. */
export class CentresJob extends ReadJob<CentresOptions> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table } = this.context
    const freshMs = Math.min(MAX_FRESH_MS, this.options.everyMs / 2)
    const row = await database.first<{ detail: CentreState; isFresh: boolean | null }>(STATE, [freshMs])
    // The directory was read a short time ago, usually because of another organisation's schedule.
    if (row?.isFresh === true && claim.source === 'sweep') {
      return database.transaction((tx) => table.finish(tx, claim))
    }
    const { since, completeAt, lookedUpAt } = row?.detail ?? {}
    const ageMs = Date.parse(claim.claimedAt) - Date.parse(completeAt ?? '')
    const isComplete = since === undefined || !(ageMs < COMPLETE_EVERY_MS)
    const next = await this.#withAnyClient(claim, signal, (client) =>
      isComplete
        ? this.#readAll(client, claim, lookedUpAt, signal)
        : this.#readChanges(client, claim, since, signal),
    )
    const state: CentreState = {
      since: next.since,
      completeAt: isComplete ? claim.claimedAt : completeAt,
      lookedUpAt: next.isLookedUp ? claim.claimedAt : lookedUpAt,
    }
    await database.transaction(async (tx) => {
      await tx.query(SAVE, [JSON.stringify(state)])
      await table.finish(tx, claim)
    })
  }

  /** Reads with the organisation of the claim, or with the first other organisation whose credentials work. */
  async #withAnyClient(
    claim: Claim,
    signal: AbortSignal,
    read: (client: PathologyClient) => Promise<DirectoryRead>,
  ): Promise<DirectoryRead> {
    const { organisations } = this.context
    const own = organisations.get(claim.organisation)
    const all = new Set([...(own === undefined ? [] : [own]), ...organisations.values()])
    let rejected: unknown = new Error('no organisation')
    for (const { client, name } of all) {
      try {
        const directory = await read(client)
        await this.context.contact.reached(name)
        return directory
      } catch (error) {
        if (classifyFailure(error, signal).kind !== 'rejected') throw error
        rejected = error
      }
    }
    throw rejected
  }

  async #readChanges(
    client: PathologyClient,
    { claimedAt }: Claim,
    since: string,
    signal: AbortSignal,
  ): Promise<DirectoryRead> {
    const changes = client.centres.changes({ since }, { signal })
    for await (const page of changes.pages()) {
      await storeCentres(
        this.context,
        page.map(({ centre }) => centre),
        claimedAt,
      )
    }
    return { since: changes.nextSince ?? since, isLookedUp: false }
  }

  /**
   * Reads all centres. If their number is the service's total, looks up the other centres of the copy by UUID, because
   * a list can be incomplete. Marks as retired those that are retired or not found. If these are too many, marks only
   * those that an earlier complete read did not find either.
   */
  async #readAll(
    client: PathologyClient,
    { claimedAt }: Claim,
    lastAt: string | undefined,
    signal: AbortSignal,
  ): Promise<DirectoryRead> {
    const context = this.context
    const changes = client.centres.changes({}, { signal })
    const read = new Set<string>()
    for await (const page of changes.pages()) {
      await storeCentres(
        context,
        page.map(({ centre }) => centre),
        claimedAt,
      )
      for (const { uuid } of page) read.add(uuid)
    }
    const { totalResults } = await client.centres.list({ count: 1 }, { signal }).firstPage()
    const isLookedUp = totalResults === read.size && read.size > 0
    if (isLookedUp) await this.#retireUnlisted(client, claimedAt, lastAt, signal)
    return { since: changes.nextSince ?? claimedAt, isLookedUp }
  }

  async #retireUnlisted(
    client: PathologyClient,
    readAt: string,
    lastAt: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const context = this.context
    const unseen = await unseenCentres(context, readAt, lastAt)
    const kept = new Set<string>()
    const total = await countCentres(context)
    for (let start = 0; start < unseen.length; start += MAX_UUIDS) {
      const uuids = unseen.slice(start, start + MAX_UUIDS).map(({ uuid }) => uuid)
      const found: readonly CollectionCentre[] = await client.centres.list({ uuids }, { signal }).toArray()
      const current = found.filter(({ status }) => status !== 'RETIRED')
      await storeCentres(context, current, readAt)
      for (const { uuid } of current) kept.add(uuid.toLowerCase())
    }
    const missing = unseen.filter(({ uuid }) => !kept.has(uuid))
    const areTooMany = missing.length > goneLimit(total)
    const retired = areTooMany ? missing.filter(({ isLongUnseen }) => isLongUnseen) : missing
    await retireCentres(
      context,
      retired.map(({ uuid }) => uuid),
      readAt,
    )
    const left = missing.length - retired.length
    if (left === 0) return
    context.logger.error(
      `mirror: the directory of collection centres lacks ${left} of ${total} centres. None of them was marked as retired, because a response of the service may be incomplete. They are looked up again in a week, and marked if they are missing then`,
    )
  }
}
