import { type PreparedRecord, prepareRecord } from '../copy/digest.js'
import { RECORD_KINDS, type RecordKind, readRecord } from '../copy/record-kinds.js'
import { type MirrorContext, namesOf, type Organisation, organisationOf } from '../core/context.js'
import { checkComplete } from './read-pages.js'

/** Options of `mirror.verify`. */
export interface VerifyOptions {
  /**
   * Number of records of the copy to compare in each organisation, selected at random: half referrals, half results.
   * The newest page of each list is compared too.
   * @defaultValue all records of the copy and of the lists
   */
  readonly sample?: number | undefined
  /**
   * Name of the only organisation whose records are compared.
   * @defaultValue all organisations of the mirror
   */
  readonly organisation?: string | undefined
  /**
   * Called after each record with the number of compared records. If the function throws, `verify` rejects with its
   * error.
   */
  readonly onProgress?: ((compared: number) => void) | undefined
  /** Ends the comparison: `verify` rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A record whose copy differs from the service. */
export interface VerifyDifference {
  /** Name of the organisation. */
  readonly organisation: string
  /** Kind of the record. */
  readonly kind: RecordKind
  /** UUID of the record. */
  readonly uuid: string
  /**
   * `missing`: the copy lacks the record that the service returns, or marks this record as gone. `extra`: the service
   * does not return the record, and the copy does not mark it as gone. `different`: fields differ.
   */
  readonly reason: 'missing' | 'extra' | 'different'
  /**
   * Names of the fields that differ, without their values; empty unless `reason` is `different`. `attachment` if only
   * the presence of the PDF differs.
   */
  readonly fields: readonly string[]
}

/** Result of `mirror.verify`. */
export interface VerifyReport {
  /** Number of compared records. */
  readonly compared: number
  /** Number of records that differ. */
  readonly differ: number
  /** The records that differ. */
  readonly differences: readonly VerifyDifference[]
  /** Number of requests. */
  readonly requests: number
  /** Time from the start to the end in milliseconds. */
  readonly durationMs: number
}

/** A record of a list. */
interface Listed {
  readonly uuid: string
}

interface CopyRow {
  readonly uuid: string
  readonly body: PreparedRecord['body']
  readonly digest: string
  readonly isGone: boolean
}

const BATCH = 500

const ROWS = (kind: RecordKind): string =>
  `SELECT uuid, body, digest, gone_at IS NOT NULL AS "isGone" FROM {schema}.${kind} WHERE organisation = $1 AND uuid = ANY($2::text[])`

const SAMPLE = (kind: RecordKind): string => `
SELECT uuid FROM {schema}.${kind} WHERE organisation = $1 AND gone_at IS NULL ORDER BY random() LIMIT $2::bigint`

const NEXT = (kind: RecordKind): string => `
SELECT uuid FROM {schema}.${kind} WHERE organisation = $1 AND gone_at IS NULL AND uuid > $2 ORDER BY uuid LIMIT ${BATCH}`

const IS_ERASED = `
SELECT 1 FROM {schema}.erased WHERE organisation = $1 AND (uuid = $2 OR group_key = $3) LIMIT 1`

/** Comparison of the copy with the service, record by record. It changes nothing. */
export class Verifier {
  readonly #context: MirrorContext
  readonly #options: VerifyOptions
  readonly #differences: VerifyDifference[] = []
  #compared = 0
  #requests = 0

  constructor(context: MirrorContext, options: VerifyOptions) {
    this.#context = context
    this.#options = options
  }

  async run(): Promise<VerifyReport> {
    const startedAt = performance.now()
    for (const name of namesOf(this.#context, this.#options.organisation)) {
      const owner = organisationOf(this.#context, name)
      for (const kind of RECORD_KINDS) await this.#compareKind(owner, kind)
    }
    return {
      compared: this.#compared,
      differ: this.#differences.length,
      differences: this.#differences,
      requests: this.#requests,
      durationMs: Math.round(performance.now() - startedAt),
    }
  }

  /**
   * Compares the records of the list, to find records that the copy lacks. Then compares the records of the copy that
   * the list did not contain.
   */
  async #compareKind(owner: Organisation, kind: RecordKind): Promise<void> {
    const listed = await this.#compareList(owner, kind)
    for await (const uuid of this.#uuids(owner.name, kind)) {
      if (!listed.has(uuid)) await this.#compareByUuid(owner, kind, uuid)
    }
  }

  async #compareList(owner: Organisation, kind: RecordKind): Promise<ReadonlySet<string>> {
    const { sample, signal } = this.#options
    const { client } = owner
    const call = signal === undefined ? {} : { signal }
    const query = { sort: sample === undefined ? 'asc' : 'desc' } as const
    const list = kind === 'referral' ? client.referrals.list(query, call) : client.results.list(query, call)
    const listed = new Set<string>()
    for await (const page of list.pages()) {
      this.#requests += 1
      checkComplete(page)
      await this.#comparePage(owner, kind, page.items)
      for (const { uuid } of page.items) listed.add(uuid.toLowerCase())
      if (sample !== undefined) break
    }
    return listed
  }

  /** Compares a page. A list can leave out fields, so each differing record is read by UUID before it is reported. */
  async #comparePage(owner: Organisation, kind: RecordKind, items: readonly Listed[]): Promise<void> {
    const uuids = items.map(({ uuid }) => uuid.toLowerCase())
    const { rows } = await this.#context.database.query<CopyRow>(ROWS(kind), [owner.name, uuids])
    const digests = new Map(rows.filter(({ isGone }) => !isGone).map(({ uuid, digest }) => [uuid, digest]))
    for (const record of items) {
      const uuid = record.uuid.toLowerCase()
      if (digests.get(uuid) === prepareRecord(record).digest) this.#count()
      else await this.#compareByUuid(owner, kind, uuid)
    }
  }

  async #compareByUuid(owner: Organisation, kind: RecordKind, uuid: string): Promise<void> {
    const record = await this.#read(owner, kind, uuid)
    const row = await this.#context.database.first<CopyRow>(ROWS(kind), [owner.name, [uuid]])
    this.#count()
    const at = { organisation: owner.name, kind, uuid }
    if (record === undefined) {
      if (row?.isGone === false) this.#differences.push({ ...at, reason: 'extra', fields: [] })
      return
    }
    const prepared = prepareRecord(record)
    if (row === undefined || row.isGone) {
      const isErased = await this.#isErased(owner.name, uuid, prepared)
      if (!isErased) this.#differences.push({ ...at, reason: 'missing', fields: [] })
      return
    }
    if (row.digest === prepared.digest) return
    const fields = differingFields(row.body, prepared.body)
    this.#differences.push({ ...at, reason: 'different', fields })
  }

  #read(organisation: Organisation, kind: RecordKind, uuid: string): Promise<object | undefined> {
    this.#requests += 1
    return readRecord(organisation, kind, uuid, this.#options.signal)
  }

  async #isErased(organisation: string, uuid: string, { body }: PreparedRecord): Promise<boolean> {
    const group = body['referralUuid']
    const values = [organisation, uuid, typeof group === 'string' ? group.toLowerCase() : uuid]
    return (await this.#context.database.first(IS_ERASED, values)) !== undefined
  }

  async *#uuids(organisation: string, kind: RecordKind): AsyncGenerator<string, void, undefined> {
    const { database } = this.#context
    const { sample } = this.#options
    if (sample !== undefined) {
      const half = kind === 'referral' ? Math.ceil(sample / 2) : Math.floor(sample / 2)
      const { rows } = await database.query<{ uuid: string }>(SAMPLE(kind), [organisation, half])
      for (const { uuid } of rows) yield uuid
      return
    }
    for (let after = ''; ; ) {
      const { rows } = await database.query<{ uuid: string }>(NEXT(kind), [organisation, after])
      for (const { uuid } of rows) yield uuid
      const last = rows.at(-1)
      if (last === undefined) return
      after = last.uuid
    }
  }

  #count(): void {
    this.#options.signal?.throwIfAborted()
    this.#compared += 1
    this.#options.onProgress?.(this.#compared)
  }
}

/** Returns the names of the fields that differ: `attachment` if only the presence of the PDF differs. */
function differingFields(copy: PreparedRecord['body'], service: PreparedRecord['body']): readonly string[] {
  const names = new Set([...Object.keys(copy), ...Object.keys(service)])
  const differing = [...names].filter(
    (name) => JSON.stringify(sorted(copy[name])) !== JSON.stringify(sorted(service[name])),
  )
  return differing.length > 0 ? differing.sort() : ['attachment']
}

/** Sorts the fields of objects, because the database returns them in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, field]) => [name, sorted(field)] as const)
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}
