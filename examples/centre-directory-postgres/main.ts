import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import pg from 'pg'
import { withPostgres } from '../../test/support/postgres.js'
import { CentreDirectory } from './directory.js'

// npx tsx examples/centre-directory-postgres/main.ts
// Uses the server of DATABASE_URL. Without it, starts its own Postgres: run `npm ci --prefix test/tools` first.
const given = process.env['DATABASE_URL']
await using own = given === undefined ? await withPostgres() : undefined
const url = given ?? own?.url
if (url !== undefined) await run(url)

async function run(connectionString: string): Promise<void> {
  await using fake = new FakePathologyService({ startTime: Date.now() - 8 * 24 * 3_600_000 })
  await using client = new PathologyClient({ ...fake.clientOptions(), logger: console })
  const pool = new pg.Pool({ connectionString })
  const directory = new CentreDirectory(pool)
  await directory.setUp()

  const first = await directory.synchronise(client)
  console.log(`first copy: ${first.upserts} centres`)

  await fake.clock.advance({ days: 7 })
  const { counts } = fake.centres.weeklyRefresh({ updated: 12, created: 3, missing: 5 })
  const second = await directory.synchronise(client)
  console.log(
    `a week later: ${counts.updated} updated, ${counts.created} created, ${counts.missing} missing; ${second.upserts} written`,
  )
  console.log(`the copy has ${await directory.count()} centres. Nearest to Perth's town hall:`)

  const near = await directory.nearest({ lat: -31.9544, lng: 115.8605, withinKm: 25, limit: 5 })
  for (const { name, address, city, km } of near) {
    console.log(`  ${km.toFixed(1).padStart(5)} km  ${name}, ${address}, ${city}`)
  }
  await pool.end()
}
