import { type ClientOptions, type ListProgress, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { rejection } from '../support/clients.js'

interface World {
  readonly fake: FakePathologyService
  readonly client: PathologyClient
}

/** Some 45 referrals on three pages of 20 at most, 30 centres. */
function setUp(options: ClientOptions = {}): World {
  const fake = new FakePathologyService({ seedReferrals: 45, centreCount: 30 })
  const client = new PathologyClient({ ...fake.clientOptions(), ...options })
  onTestFinished(async () => {
    await client.close()
    await fake.close()
  })
  return { fake, client }
}

describe('§4.7 onProgress of a list', () => {
  it.each([false, true])(
    'hears of each page before its records are handed out (prefetch %s)',
    async (prefetch) => {
      const { client } = setUp()
      const heard: ListProgress[] = []
      const before: number[] = []
      const list = client.referrals.list({ prefetch, onProgress: (progress) => heard.push(progress) })
      for await (const _ of list) before.push(heard.length)

      expect([before[0], before[20], before[40]]).toEqual([1, 2, 3])
      expect(heard).toEqual([
        { pages: 1, items: 20, totalResults: undefined },
        { pages: 2, items: 40, totalResults: undefined },
        { pages: 3, items: before.length, totalResults: undefined },
      ])
    },
  )

  it('counts each walk anew, and has the total where the list tells (§4.5)', async () => {
    const { client } = setUp()
    const heard: ListProgress[] = []
    const list = client.centres.list({ count: 20, onProgress: (progress) => heard.push(progress) })
    const { length } = await list.toArray()
    await list.toArray({ limit: 1 })

    const totalResults = heard[0]?.totalResults
    expect(length).toBe(totalResults)
    expect(heard.map(({ pages, items }) => [pages, items])).toEqual([
      [1, 20],
      [2, length],
      [1, 20],
    ])
  })

  it('is not sent, and is there for changes() and findByReferenceNumber() too', async () => {
    const { fake, client } = setUp()
    const heard: ListProgress[] = []
    const onProgress = (progress: ListProgress): number => heard.push(progress)
    for await (const _ of client.centres.changes({ onProgress }));
    for await (const _ of client.referrals.findByReferenceNumber('nobody', { onProgress }));

    expect(heard.map(({ pages }) => pages)).toEqual([1, 1, 2, 3])
    expect(JSON.stringify(fake.requests)).not.toContain('onProgress')
  })

  it('is a function', async () => {
    const { fake, client } = setUp()
    const wrong: unknown = 'console.log'
    const list = (): Promise<unknown> =>
      // A mistake that the types would show.
      client.referrals.list({ onProgress: wrong as () => void }).toArray()
    expect(await rejection(Promise.resolve().then(list))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ field: 'onProgress' }],
    })
    expect(fake.requests).toHaveLength(0)
  })
})

describe('onProgress that fails', () => {
  const broken = {
    throws: (): void => {
      throw new Error('the bar broke for Alex Example')
    },
    rejects: async (): Promise<void> => {
      throw new Error('the bar broke for Alex Example')
    },
  }

  it.each(Object.entries(broken))('changes nothing, and is warned of once: %s', async (_, onProgress) => {
    const warnings: string[] = []
    const { client } = setUp({ logger: { warn: (message) => warnings.push(message) } })
    const referrals = await client.referrals.list({ onProgress }).toArray()
    expect(referrals.length).toBeGreaterThan(40)
    const { uuid = '' } = referrals.find(({ referralAttachment }) => referralAttachment !== null) ?? {}
    const pdf = await client.referrals.document(uuid).bytes({ onProgress })
    expect(new TextDecoder().decode(pdf.subarray(0, 5))).toBe('%PDF-')
    expect(warnings).toEqual(['pathology-sdk: an onProgress function failed; what it throws is ignored'])
  })
})
