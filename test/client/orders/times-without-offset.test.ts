import { type FetchLike, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { order } from '../../support/samples.js'

const WITH_Z = /"(\d{4}-\d\d-\d\dT[\d:.]+)Z"/g

/** Returns the fake and a function that creates clients. Their responses have times without an offset. */
function setUp() {
  const fake = new FakePathologyService({ centreCount: 1, seedReferrals: 0 })
  onTestFinished(() => fake.close())
  const fetch: FetchLike = async (input, init) => {
    const response = await fake.fetch(input, init)
    const text = (await response.text()).replace(WITH_Z, '"$1"')
    const { status, headers } = response
    return new Response(text, { status, headers: { date: headers.get('date') ?? '' } })
  }
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const createClient = (): PathologyClient => {
    const client = new PathologyClient({ baseUrl, authUrl, clientId, clientSecret, fetch })
    onTestFinished(() => client.close())
    return client
  }
  return { fake, createClient }
}

describe.each(['Australia/Sydney', 'America/New_York'])(
  'a service that writes times without an offset, and a client in %s',
  (zone) => {
    beforeEach(() => {
      vi.stubEnv('TZ', zone)
      return () => void vi.unstubAllEnvs()
    })

    it('a job that runs twice orders once, although times have no offset (§2)', async () => {
      const { fake, createClient } = setUp()
      const since = new Date()
      const run = () =>
        createClient().referrals.create(order({ tests: ['tsh'] }), { orderKey: 'job-77', since })
      expect((await run()).recovered).toBe(false)
      expect((await run()).recovered).toBe(true)
      expect(fake.referrals.all()).toHaveLength(1)
      expect(await createClient().referrals.findByOrderKey('job-77', { since })).toBeDefined()
    })

    it('a list has the records of a time range, although times have no offset (§2)', async () => {
      const { createClient } = setUp()
      const { referrals } = createClient()
      const placed = await referrals.create(order({ tests: ['tsh'] }))
      const hour = 3_600_000
      const since = new Date(Date.now() - hour)
      const until = new Date(Date.now() + hour)
      const uuids = placed.referrals.map(({ uuid }) => uuid)
      for (const sort of ['asc', 'desc'] as const) {
        for (const range of [{ since }, { until }, { since: since.toISOString().slice(0, -1), until }]) {
          const found = await referrals.list({ sort, ...range }).toArray()
          expect(found.map(({ uuid }) => uuid)).toEqual(uuids)
        }
        expect(await referrals.list({ sort, until: since }).toArray()).toEqual([])
        expect(await referrals.list({ sort, since: until }).toArray()).toEqual([])
      }
    })
  },
)
