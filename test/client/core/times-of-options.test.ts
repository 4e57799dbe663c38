import type { PathologyClient } from 'pathology-sdk'
import { expect, it, onTestFinished, vi } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

async function read(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}

/** Calls with a `since` or `until`. An error that is thrown at once rejects too. */
const CALLS: readonly (readonly [string, (client: PathologyClient, time: string) => Promise<unknown>])[] = [
  ['centres.changes', async ({ centres }, since) => read(centres.changes({ since }))],
  ['referrals.list since', ({ referrals }, since) => referrals.list({ since }).toArray()],
  ['results.list until', ({ results }, until) => results.list({ until }).toArray()],
  [
    'findByReferenceNumber',
    ({ referrals }, since) => referrals.findByReferenceNumber('ref-77', { since }).toArray(),
  ],
  ['create', ({ referrals }, since) => referrals.create(order(), { orderKey: 'key-1', since })],
  ['findByOrderKey', ({ referrals }, since) => referrals.findByOrderKey('key-1', { since })],
]

const GUESSED = ['11/10/2026', '1.5.2026', '5', 'booking 7', '2026-02-30', '2026-2-3', '2026-02-03 10:00']

it.each(CALLS.flatMap(([name, call]) => GUESSED.map((time) => ({ name, call, time }))))(
  '$name rejects $time before a request: since and until accept only ISO 8601',
  async ({ call, time }) => {
    const server = await ScriptedServer.start()
    const error = await rejection(call(clientOf(server.origin), time))
    expect(error).toMatchObject({
      message: expect.stringMatching(/(since|until) must be a Date or an ISO 8601 time/),
    })
    expect(server.requests).toHaveLength(0)
  },
)

it('centres.changes throws at once', () => {
  const { centres } = clientOf('http://127.0.0.1:1')
  expect(() => centres.changes({ since: '07/03/2026' })).toThrow('since must be a Date or an ISO 8601 time')
})

it.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00+10:00', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T10:00:00.123456+1000', '2026-03-01T00:00:00.123Z'],
  ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00.5', '2026-03-01T10:00:00.500Z'],
])('centres.changes accepts %s', async (since, changedSince) => {
  vi.stubEnv('TZ', 'Australia/Sydney')
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await ScriptedServer.start()
  // The server has no centres, but it has the query.
  await rejection(read(clientOf(server.origin).centres.changes({ since })))
  expect(server.calls[0]?.query.get('changedSince')).toBe(changedSince)
})
