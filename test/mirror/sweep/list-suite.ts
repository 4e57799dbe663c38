import { expect, it } from 'vitest'
import { createWorld, type TestDatabase, type World } from '../world.js'

/** A client of a service that rejects a cursor in several readings of the referrals, each time one page later. */
function restartingClient({ clientOf }: World, readings: number) {
  const seen = { rejected: 0 }
  let pages = 0
  const client = clientOf({
    fetch: async (input, init) => {
      const { pathname, searchParams } = new URL(String(input))
      if (pathname !== '/v1/referrals') return fetch(input, init)
      if (!searchParams.has('cursor')) pages = 0
      else if (seen.rejected < readings && pages > seen.rejected) {
        seen.rejected += 1
        const body = { error: true, code: 'INVALID_PARAMETER', message: 'the cursor is invalid' }
        return Response.json(body, { status: 400 })
      }
      pages += 1
      return fetch(input, init)
    },
  })
  return { client, seen }
}

/** Tests of lists that a sweep cannot read as usual, on Postgres. */
export function listSuite(database: TestDatabase): void {
  it('a sweep continues after any number of rejected cursors, while it reads further each time', async () => {
    const here = await createWorld(database, { seedReferrals: 110 })
    const { client, seen } = restartingClient(here, 4)
    const options = { attempts: { fetch: 1 }, sweep: { centres: false, requestsPerSecond: 1_000 } } as const
    const mirror = here.mirrorOf({ ...options, organisations: { default: { client } } })
    await here.mirrorOf().backfill()
    expect(await mirror.sweep('everything')).toMatchObject({ new: 0 })
    expect(seen.rejected).toBe(4)
  })

  it('a comparison that fails for every record stops the run before a record is stored', async () => {
    const here = await createWorld(database, { seedReferrals: 6 })
    const asked = new Set<string>()
    let isFailing = true
    const client = here.clientOf({
      fetch: async (input, init) => {
        const { pathname } = new URL(String(input))
        if (!isFailing || !/^\/v1\/referrals\/[0-9a-f-]{36}$/.test(pathname)) return fetch(input, init)
        asked.add(pathname)
        return Response.json({ error: true, code: 'SERVER_ERROR', message: 'no' }, { status: 500 })
      },
    })
    const mirror = here.mirrorOf({ organisations: { default: { client } }, attempts: { fetch: 1 } })
    await expect(mirror.backfill()).rejects.toMatchObject({
      code: 'SWEEP_FAILED',
      message: expect.stringContaining('ServerError'),
    })
    expect(asked.size).toBe(3)
    expect(await here.rows('SELECT 1 FROM {schema}.referral')).toEqual([])
    isFailing = false
    await mirror.backfill()
    expect(await here.rows('SELECT 1 FROM {schema}.referral')).toHaveLength(6)
  })
}
