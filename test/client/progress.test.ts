import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

interface World {
  readonly fake: FakePathologyService
  readonly client: PathologyClient
}

/** About 45 referrals on three pages of at most 20, and 30 centres. */
function setUp(options: ClientOptions = {}): World {
  const fake = new FakePathologyService({ seedReferrals: 45, centreCount: 30 })
  const client = new PathologyClient({ ...fake.clientOptions(), ...options })
  onTestFinished(async () => {
    await client.close()
    await fake.close()
  })
  return { fake, client }
}

async function download(client: PathologyClient, onProgress: () => void): Promise<Uint8Array> {
  const referrals = await client.referrals.list().toArray()
  const { uuid = '' } = referrals.find(({ referralAttachment }) => referralAttachment !== null) ?? {}
  return client.referrals.document(uuid).bytes({ onProgress })
}

describe('onProgress that fails', () => {
  const broken = {
    throws: (): void => {
      throw new Error('the bar broke for Alex Example')
    },
    rejects: async (): Promise<void> => {
      throw new Error('the bar broke for Alex Example')
    },
    "returns another library's promise that rejects": () => {
      const then = (_: unknown, reject: (error: Error) => void): void =>
        reject(new Error('the bar broke for Alex Example'))
      return { then }
    },
  }

  it.each(Object.entries(broken))('changes nothing and causes one warning: %s', async (_, onProgress) => {
    const warnings: string[] = []
    const { client } = setUp({ logger: { warn: (message) => warnings.push(message) } })
    const pdf = await download(client, onProgress)
    expect(new TextDecoder().decode(pdf.subarray(0, 5))).toBe('%PDF-')
    expect(warnings).toEqual(['pathology-sdk: an onProgress function failed; its errors are ignored'])
  })

  it("a rejected promise of the logger's library is handled", async () => {
    const then = vi.fn()
    const { client } = setUp({ logger: { warn: () => ({ then }) } })
    await download(client, broken.throws)
    expect(then).toHaveBeenCalledExactlyOnceWith(expect.any(Function), expect.any(Function))
  })
})
