import { PathologyClient } from 'pathology-sdk'
import { postgresTokenLock, postgresTokenStore } from 'pathology-sdk/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { type Fleet, startFleet } from '../../support/fleet.js'
import { openPlace, type SharedPlace } from '../../support/fleet-places.js'
import { withPostgres } from '../../support/postgres.js'
import { withRedis } from '../../support/redis.js'
import { startTokenService, type TokenService } from '../../support/token-service.js'

const PROCESSES = 8
const CALLS = 25
const HOUR_MS = 3_600_000

const redis = await withRedis()
const postgres = await withPostgres()
let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet(PROCESSES)
  if (postgres === undefined) return
  const pool = new pg.Pool({ connectionString: postgres.url })
  await Promise.all([postgresTokenStore(pool).setup(), postgresTokenLock(pool).setup()])
  await pool.end()
})

afterAll(async () => {
  await fleet[Symbol.asyncDispose]()
  await redis?.stop()
  await postgres?.stop()
})

interface Case {
  readonly name: string
  readonly place: SharedPlace | undefined
  /** Token requests of all processes, for each time without a token. */
  readonly atMost: number
}

const CASES: readonly Case[] = [
  { name: 'Redis and a lock', place: redis && { kind: 'redis', at: redis.url, lock: true }, atMost: 2 },
  { name: 'Redis', place: redis && { kind: 'redis', at: redis.url, lock: false }, atMost: PROCESSES },
  {
    name: 'Postgres and a lock',
    place: postgres && { kind: 'postgres', at: postgres.url, lock: true },
    atMost: 2,
  },
]

/** Every process makes its calls at the same moment; all must succeed. */
async function callTogether(service: TokenService): Promise<number> {
  service.clear()
  const answers = await fleet.order({ do: 'call', calls: CALLS })
  expect(answers.flatMap(({ errors }) => errors)).toEqual([])
  expect(answers.map(({ succeeded }) => succeeded)).toEqual(Array(PROCESSES).fill(CALLS))
  return service.tokenRequests.length
}

/** The store has tokens that work; a client with another secret must not get them. */
async function expectNothingForAnotherSecret(service: TokenService, place: SharedPlace): Promise<void> {
  const { close, ...opened } = await openPlace(place)
  service.settings.refuse.set('client_credentials', { status: 401, code: '102' })
  const client = new PathologyClient({ ...service.options, ...opened, clientSecret: 'another-secret' })
  const calls = service.apiTokens.length
  expect(await rejection(client.vendors.list().toArray())).toMatchObject({ name: 'TokenError', code: '102' })
  expect(service.apiTokens).toHaveLength(calls)
  await client.close()
  await close()
}

it.for(CASES)(
  'eight processes that share tokens through $name make at most $atMost token requests when there is no valid token (§5)',
  async ({ name, place, atMost }, { skip }) => {
    if (place === undefined) return skip()
    await using service = await startTokenService()
    service.settings.delayMs = 50
    await fleet.order({ do: 'open', options: service.options, place })

    const cold = await callTogether(service)
    expect(service.tokenRequests[0]).toEqual({ grant: 'client_credentials', status: 200 })

    await fleet.order({ do: 'age', ms: HOUR_MS })
    const expired = await callTogether(service)
    const grant = place.lock ? 'refresh_token' : 'client_credentials'
    expect(service.tokenRequests[0]).toEqual({ grant, status: 200 })

    service.revokeAccess()
    const revoked = await callTogether(service)
    await expectNothingForAnotherSecret(service, place)
    await fleet.order({ do: 'close' })

    for (const requests of [cold, expired, revoked]) {
      expect(requests).toBeGreaterThanOrEqual(1)
      expect(requests).toBeLessThanOrEqual(atMost)
    }
    console.info(`${name}: ${cold} cold, ${expired} at expiry, ${revoked} after a revocation`)
  },
)
