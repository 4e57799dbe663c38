import type { CollectionCentre } from '../../contract/types.js'
import { prepareRecord, textField, timeField } from '../copy/digest.js'
import type { MirrorContext } from '../core/context.js'

/** Number of rows in one statement. */
const BATCH = 500

const UPSERT = `
INSERT INTO {schema}.centre AS centre (uuid, name, status, vendor_id, pathology_provider_id, city, state, postcode, lat, lng,
  last_seen_at, body, digest, read_at, retired_at)
SELECT uuid, name, status, vendor_id, pathology_provider_id, city, state, postcode, lat, lng, last_seen_at, body, digest,
  $2::timestamptz, CASE WHEN status = 'RETIRED' THEN $2::timestamptz END
FROM jsonb_populate_recordset(NULL::{schema}.centre, $1::jsonb) ORDER BY uuid
ON CONFLICT (uuid) DO UPDATE SET name = EXCLUDED.name, status = EXCLUDED.status, vendor_id = EXCLUDED.vendor_id,
  pathology_provider_id = EXCLUDED.pathology_provider_id, city = EXCLUDED.city, state = EXCLUDED.state,
  postcode = EXCLUDED.postcode, lat = EXCLUDED.lat, lng = EXCLUDED.lng, last_seen_at = EXCLUDED.last_seen_at,
  body = EXCLUDED.body, digest = EXCLUDED.digest, read_at = EXCLUDED.read_at,
  retired_at = CASE WHEN EXCLUDED.retired_at IS NULL THEN NULL ELSE COALESCE(centre.retired_at, EXCLUDED.retired_at) END,
  stored_at = CASE WHEN centre.digest = EXCLUDED.digest THEN centre.stored_at ELSE now() END
WHERE centre.read_at <= EXCLUDED.read_at`

const RETIRE = `
UPDATE {schema}.centre SET retired_at = $2::timestamptz, stored_at = now()
WHERE uuid = ANY($1::text[]) AND retired_at IS NULL AND read_at <= $2::timestamptz`

const UNSEEN = `
SELECT uuid, COALESCE(read_at < $2::timestamptz, false) AS "isLongUnseen" FROM {schema}.centre
WHERE retired_at IS NULL AND read_at < $1::timestamptz ORDER BY uuid`

const COUNT = 'SELECT count(*) AS count FROM {schema}.centre WHERE retired_at IS NULL'

/**
 * Inserts or replaces centres. A centre with the status `RETIRED` is marked as retired. An older read does not replace
 * a newer read.
 */
export async function storeCentres(
  { database }: MirrorContext,
  centres: readonly CollectionCentre[],
  readAt: string,
): Promise<void> {
  const unique = new Map(centres.map((centre) => [centre.uuid.toLowerCase(), centre]))
  const rows = [...unique.values()].map(rowOf)
  for (let start = 0; start < rows.length; start += BATCH) {
    await database.query(UPSERT, [JSON.stringify(rows.slice(start, start + BATCH)), readAt])
  }
}

/** Marks centres as retired, except for centres from a later read. */
export async function retireCentres(
  { database }: MirrorContext,
  uuids: readonly string[],
  readAt: string,
): Promise<void> {
  if (uuids.length > 0) await database.query(RETIRE, [uuids, readAt])
}

/** A centre that a complete read has not found. */
export interface UnseenCentre {
  readonly uuid: string
  /** `true` when the earlier complete read at `lastAt` did not find the centre either. */
  readonly isLongUnseen: boolean
}

/**
 * Returns the centres of the copy that are not retired and that a complete read has not found.
 *
 * @param readAt - Time of this complete read.
 * @param lastAt - Time of the last earlier read whose unlisted centres were looked up, if there was one.
 */
export async function unseenCentres(
  { database }: MirrorContext,
  readAt: string,
  lastAt: string | undefined,
): Promise<readonly UnseenCentre[]> {
  return (await database.query<UnseenCentre>(UNSEEN, [readAt, lastAt ?? null])).rows
}

export async function countCentres({ database }: MirrorContext): Promise<number> {
  return (await database.first<{ count: number }>(COUNT))?.count ?? 0
}

function rowOf(centre: CollectionCentre): object {
  const { body, digest } = prepareRecord(centre)
  const lat = degrees(body['lat'], 90)
  const lng = degrees(body['lng'], 180)
  const isPlaced = lat !== null && lng !== null
  return {
    uuid: centre.uuid.toLowerCase(),
    name: textField(body, 'name'),
    status: textField(body, 'status'),
    vendor_id: textField(body, 'vendorId'),
    pathology_provider_id: textField(body, 'pathologyProviderId'),
    city: textField(body, 'city'),
    state: textField(body, 'state'),
    postcode: textField(body, 'postcode'),
    lat: isPlaced ? lat : null,
    lng: isPlaced ? lng : null,
    last_seen_at: timeField(body, 'lastSeenAt'),
    body,
    digest,
  }
}

function degrees(value: unknown, max: number): number | null {
  return typeof value === 'number' && Math.abs(value) <= max ? value : null
}
