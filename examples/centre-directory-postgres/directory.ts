import type { CentreChange, PathologyClient } from 'pathology-sdk'
import type { Pool } from 'pg'

const SQL = {
  tables: `
    CREATE TABLE IF NOT EXISTS centres (
      uuid uuid PRIMARY KEY, lat double precision, lng double precision, centre jsonb NOT NULL
    );
    CREATE INDEX IF NOT EXISTS centres_place ON centres (lat, lng);
    CREATE TABLE IF NOT EXISTS centre_copy (id boolean PRIMARY KEY DEFAULT true CHECK (id), next_since text NOT NULL)`,
  upsert: `
    INSERT INTO centres
    SELECT (centre->>'uuid')::uuid, (centre->>'lat')::float, (centre->>'lng')::float, centre
    FROM jsonb_array_elements($1) AS centre
    ON CONFLICT (uuid) DO UPDATE SET lat = excluded.lat, lng = excluded.lng, centre = excluded.centre`,
  remove: 'DELETE FROM centres WHERE uuid = ANY($1::uuid[])',
  since: 'SELECT next_since FROM centre_copy',
  keepSince: `INSERT INTO centre_copy (next_since) VALUES ($1)
    ON CONFLICT (id) DO UPDATE SET next_since = excluded.next_since`,
  /** Filters by a box, which uses the index, then by the distance on a sphere in kilometres. */
  nearest: `
    SELECT centre->>'name' AS name, centre->>'address' AS address, centre->>'city' AS city, km FROM (
      SELECT centre, 12742 * asin(sqrt(
        power(sin(radians(lat - $1) / 2), 2) +
        cos(radians($1)) * cos(radians(lat)) * power(sin(radians(lng - $2) / 2), 2))) AS km
      FROM centres
      WHERE lat BETWEEN $1 - $3 / 111.0 AND $1 + $3 / 111.0
        AND lng BETWEEN $2 - $3 / (111.0 * cos(radians($1))) AND $2 + $3 / (111.0 * cos(radians($1)))
        AND centre->>'status' = 'ACTIVE'
    ) AS near
    WHERE km <= $3 ORDER BY km LIMIT $4`,
} as const

export interface NearCentre {
  readonly name: string
  readonly address: string
  readonly city: string
  readonly km: number
}

/** A copy of the directory of collection centres in Postgres. */
export class CentreDirectory {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async setUp(): Promise<void> {
    await this.#pool.query(SQL.tables)
  }

  /**
   * Updates the copy and returns the number of changes. Each page is written in one transaction, and `nextSince` is stored
   * after the last page. So the next call after an interrupted update writes the same rows again.
   */
  async synchronise(client: PathologyClient): Promise<{ upserts: number; removals: number }> {
    const { rows } = await this.#pool.query<{ next_since: string }>(SQL.since)
    const changes = client.centres.changes({ since: rows[0]?.next_since })
    const done = { upserts: 0, removals: 0 }
    for await (const page of changes.pages()) {
      const removed = page.filter(({ type }) => type === 'remove')
      await this.#write(
        page.filter(({ type }) => type === 'upsert'),
        removed,
      )
      done.removals += removed.length
      done.upserts += page.length - removed.length
    }
    await this.#pool.query(SQL.keepSince, [changes.nextSince])
    return done
  }

  /** Returns the nearest ACTIVE centres within a distance in kilometres. */
  async nearest(place: { lat: number; lng: number; withinKm: number; limit: number }): Promise<NearCentre[]> {
    const { rows } = await this.#pool.query<NearCentre>(SQL.nearest, [
      place.lat,
      place.lng,
      place.withinKm,
      place.limit,
    ])
    return rows
  }

  async count(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>('SELECT count(*) FROM centres')
    return Number(rows[0]?.count)
  }

  async #write(upserts: readonly CentreChange[], removals: readonly CentreChange[]): Promise<void> {
    const connection = await this.#pool.connect()
    try {
      await connection.query('BEGIN')
      await connection.query(SQL.upsert, [JSON.stringify(upserts.map(({ centre }) => centre))])
      await connection.query(SQL.remove, [removals.map(({ uuid }) => uuid)])
      await connection.query('COMMIT')
    } catch (error) {
      await connection.query('ROLLBACK')
      throw error
    } finally {
      connection.release()
    }
  }
}
