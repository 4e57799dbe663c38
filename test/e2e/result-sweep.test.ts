import type { Result } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { sweep } from '../../examples/nightly-result-sweep/sweep.js'
import { clientOf } from '../support/clients.js'
import { page, result } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const DAY_MS = 86_400_000
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** The service with these results, in the order of their creation. */
async function serviceWith(results: () => readonly Result[]) {
  const server = await ScriptedServer.start()
  server.on('GET /v1/results', () => ({ json: page('results', [...results()]) }))
  server.on('GET /v1/results/*', ({ path }) => ({
    json: results().find((one) => path.endsWith(one.uuid)),
  }))
  return clientOf(server.origin)
}

describe('examples/nightly-result-sweep (§1, §4.2)', () => {
  it('the nightly sweep finds a result that was released a week after its creation, behind newer ones (§4.2)', async () => {
    const newest = result({ uuid: uuid(1), createdAt: ago(1), updatedAt: ago(1) })
    const late = result({ uuid: uuid(2), provenance: 'INCOMING', createdAt: ago(8), updatedAt: ago(0) })
    const shown = [newest]
    const client = await serviceWith(() => shown)
    const list = { newestCreatedAt: '', watched: {} }
    const kept: string[] = []
    const keep = async (one: Result): Promise<void> => void kept.push(one.uuid)

    await sweep(client, list, keep)
    shown.push(late)
    await sweep(client, list, keep)
    await sweep(client, list, keep)
    expect(kept).toEqual([newest.uuid, late.uuid])
  })

  it('the nightly sweep uses the given clock: after sixty days it no longer watches a result', async () => {
    const one = result({ uuid: uuid(1), createdAt: ago(1), updatedAt: ago(1) })
    const client = await serviceWith(() => [one])
    const list = { newestCreatedAt: '', watched: {} }
    const keep = async (): Promise<void> => undefined
    const later = (days: number) => () => Date.now() + days * DAY_MS
    await sweep(client, list, keep)
    expect((await sweep(client, list, keep, later(58))).watched).toBe(1)
    expect((await sweep(client, list, keep, later(60))).watched).toBe(0)
  })
})
