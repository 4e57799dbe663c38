import { createHash } from 'node:crypto'
import type { PathologyClient } from 'pathology-sdk'
import type { FakePathologyService } from 'pathology-sdk/testing'

/** Runs a statement on the database of the copy. */
export type Ask = (text: string) => Promise<Record<string, unknown>[]>

/** Violations of the guarantees. All numbers must be 0. */
export interface Verdict {
  /** Records and PDFs of the service that the copy lacks or has in another state, and changes that the handler did not get. */
  readonly lost: number
  /** Changes whose handler took effect more than once. */
  readonly twice: number
  /** Changes that the handler got after a later one of the same group. */
  readonly outOfOrder: number
  /** Changes that replaced a newer state by an older one. */
  readonly older: number
}

/** Compares the copy with the fake, and the handler's table with the changes. */
export async function judge(
  fake: FakePathologyService,
  client: PathologyClient,
  schema: string,
  ask: Ask,
): Promise<Verdict> {
  const handled = await ask(
    `SELECT id, position::text AS position, group_key FROM ${schema}_own.handled ORDER BY id`,
  )
  const changes = await ask(
    `SELECT position::text AS position, uuid, updated_at FROM ${schema}.change ORDER BY change.position`,
  )
  const seen = new Set(handled.map(({ position }) => position))
  const unhandled = changes.filter(({ position }) => !seen.has(position)).length
  return {
    lost: (await missing(fake, schema, ask)) + (await missingPdfs(fake, client, schema, ask)) + unhandled,
    twice: handled.length - seen.size,
    outOfOrder: disordered(
      handled.map(({ group_key, position }) => ({ key: group_key, value: Number(position) })),
    ),
    older: disordered(changes.map(({ uuid, updated_at }) => ({ key: uuid, value: timeOf(updated_at) }))),
  }
}

/** Number of records that differ in status, time, or the digest of the fields that can change. */
async function missing(fake: FakePathologyService, schema: string, ask: Ask): Promise<number> {
  let count = 0
  for (const [kind, all] of [
    ['referral', fake.referrals.all()],
    ['result', fake.results.all()],
  ] as const) {
    const rows = await ask(`SELECT uuid, body::text AS body FROM ${schema}.${kind} WHERE gone_at IS NULL`)
    const copy = new Map(rows.map(({ uuid, body }) => [uuid, comparable(JSON.parse(String(body)))]))
    const own = all.map((record) => [record.uuid, comparable(record)] as const)
    count += own.filter(([uuid, text]) => copy.get(uuid) !== text).length
    count += copy.size - own.filter(([uuid]) => copy.has(uuid)).length
  }
  return count
}

/** Number of PDFs that differ, by their SHA-256. */
async function missingPdfs(
  fake: FakePathologyService,
  client: PathologyClient,
  schema: string,
  ask: Ask,
): Promise<number> {
  const rows = await ask(
    `SELECT kind, uuid, sha256, encode(sha256(content), 'hex') AS own FROM ${schema}.document WHERE removed_at IS NULL`,
  )
  const copy = new Map(rows.map(({ kind, uuid, sha256, own }) => [`${kind}/${uuid}`, { sha256, own }]))
  const expected = [
    ...fake.referrals
      .all()
      .filter(({ referralAttachment }) => referralAttachment !== null)
      .map(({ uuid }) => ({ key: `referral/${uuid}`, document: client.referrals.document(uuid) })),
    ...fake.results
      .all()
      .filter(({ resultAttachment }) => resultAttachment !== null)
      .map(({ uuid }) => ({ key: `result/${uuid}`, document: client.results.document(uuid) })),
  ]
  if (expected.length === 0) throw new Error('the service has no PDF')
  let count = 0
  for (const { key, document } of expected) {
    const digest = createHash('sha256')
      .update(await document.bytes())
      .digest('hex')
    const stored = copy.get(key)
    if (stored?.sha256 !== digest || stored.own !== digest) count += 1
    copy.delete(key)
  }
  return count + copy.size
}

/** Text of a record without its signed URL, which differs on each read. */
function comparable(record: object): string {
  return JSON.stringify(sorted({ ...record, referralAttachment: null, resultAttachment: null }))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, field]) => [name, sorted(field)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function disordered(entries: readonly { readonly key: unknown; readonly value: number }[]): number {
  const last = new Map<unknown, number>()
  let count = 0
  for (const { key, value } of entries) {
    if (value < (last.get(key) ?? Number.NEGATIVE_INFINITY)) count += 1
    last.set(key, value)
  }
  return count
}

function timeOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Date.parse(String(value))
}
