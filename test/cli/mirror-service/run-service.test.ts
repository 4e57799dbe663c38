import { expect, it } from 'vitest'
import { announceCopy } from '../../../src/cli/mirror-service/run-service.js'
import type { MirrorStatus, SweepStatus } from '../../../src/mirror/index.js'

/** Returns what is written for a copy with backfills in these states. */
async function announcementOf(states: readonly string[], lastEventAt: Date | null): Promise<string> {
  const sweeps = states.map((state) => ({ name: 'backfill', state, finishedAt: new Date() }))
  const status = { referrals: 3, results: 2, lastEventAt, sweeps: sweeps as readonly Partial<SweepStatus>[] }
  const parts: string[] = []
  const stderr = { isTTY: false, write: (part: string) => void parts.push(part) }
  await announceCopy(
    { stderr, signal: new AbortController().signal },
    { status: async () => status as unknown as MirrorStatus },
  )
  return parts.join('')
}

it('mirror serve writes the number of records after the first backfill', async () => {
  expect(await announcementOf(['finished', 'finished'], new Date())).toBe(
    'The copy has 3 referrals and 2 results.\n',
  )
})

it('mirror serve says which command reads the records that a failed first backfill did not read', async () => {
  expect(await announcementOf(['finished', 'stopped'], new Date())).toBe(
    'The copy has 3 referrals and 2 results.\n' +
      'The first backfill failed, so records can be missing. Run: npx pathology mirror backfill\n',
  )
})

it('mirror serve says how to subscribe, as long as no webhook event has arrived', async () => {
  expect(await announcementOf([], null)).toMatch(/no webhook event.*npx pathology webhooks create/)
})
