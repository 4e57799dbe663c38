import { afterAll, describe, expect, it } from 'vitest'
import { ask, byName, centrePath, uuids } from './support/centres.js'
import { faults } from './support/check.js'
import { at, type JsonObject, obj, objects, str, strings } from './support/json.js'
import { centre } from './support/objects.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const lists = ['created', 'updated', 'revived', 'missing', 'retired'] as const
describe('§3.4, §6 a weekly refresh', async () => {
  const start = await ask(service, { changedSince: '2000-01-01T00:00:00Z', count: 10000 })
  await service.control('POST', '/clock/advance', { days: 1 })
  await service.control('POST', '/centres/weekly-refresh', {
    created: 3,
    updated: 4,
    revived: 2,
    revivedWithNewDetails: 1,
    missing: 5,
    retired: 2,
  })
  const events = objects(
    await service
      .control('GET', '/events')
      .then((body) => (Array.isArray(body) ? body : (at(body, 'events') ?? null))),
  )
  const sent = events
    .map((entry) => at(entry, 'envelope') ?? entry)
    .filter((entry) => at(entry, 'eventName') === 'collection_centres.updated')
  const data = at(sent.at(-1), 'data')
  const changed = (name: string): string[] => strings(at(data, 'changed', name))
  const fresh = await service.tokens({
    grant_type: 'client_credentials',
    client_id: service.clientId,
    client_secret: service.clientSecret,
  })
  const authorization = `Bearer ${str(at(fresh.body, 'access_token'))}`
  const since = async (changedSince: string): Promise<JsonObject[]> =>
    objects(
      at(
        (await service.call('GET', centrePath, { query: { changedSince, count: 10000 }, authorization }))
          .body,
        'collectionCentres',
      ),
    )
  const ranAt = str(at(data, 'ranAt'))
  const news = await since(ranAt)

  it.each(lists)('counts.%s is the length of changed.%s', (name) =>
    expect(at(data, 'counts', name)).toBe(changed(name).length),
  )
  it('changedSince with its ranAt finds every changed centre and no other', () => {
    expect(uuids(news).sort()).toEqual([...new Set(lists.flatMap(changed))].sort())
  })
  it.each([
    ['missing', 'MISSING'],
    ['retired', 'RETIRED'],
    ['revived', 'ACTIVE'],
    ['created', 'ACTIVE'],
  ] as const)('%s ones are %s', (name, status) => {
    const entries = news.filter((entry) => changed(name).includes(str(entry['uuid'])))
    expect(entries.length).toBe(changed(name).length)
    expect(new Set(entries.map((entry) => entry['status']))).toEqual(new Set([status]))
  })
  it('changed centres keep the shape and the order', () => {
    for (const entry of news) expect(faults(entry, centre)).toEqual([])
    expect(byName(news)).toBe(true)
  })
  it('a revived centre with new details is in updated as well', () => {
    expect(changed('revived').some((id) => changed('updated').includes(id))).toBe(true)
  })
  it('revived centres were MISSING, and created centres did not exist', () => {
    const before = new Map(start.centres.map((entry) => [entry['uuid'], entry['status']]))
    for (const id of changed('revived')) expect(before.get(id)).toBe('MISSING')
    for (const id of changed('created')) expect(before.has(id)).toBe(false)
  })
  it('a retired centre is returned by uuid, and is not in the list', async () => {
    const [id = ''] = changed('retired')
    expect(at((await service.call('GET', `${centrePath}/${id}`, { authorization })).body, 'status')).toBe(
      'RETIRED',
    )
    const listing = await service.call('GET', centrePath, { query: 'count=10000', authorization })
    expect(uuids(objects(at(listing.body, 'collectionCentres')))).not.toContain(id)
  })
  it('a moment after ranAt there is no change', async () => {
    expect(await since(new Date(Date.parse(ranAt) + 3_600_000).toISOString())).toEqual([])
  })
  it('the same moment in another offset finds the same', async () => {
    const local = `${new Date(Date.parse(ranAt) + 36_000_000).toISOString().slice(0, -1)}+10:00`
    expect(uuids(await since(local))).toEqual(uuids(news))
  })
})

describe('§3.4 a centre that is MISSING three weeks is RETIRED', () => {
  it('it is not RETIRED after two listings without it, but after the third, and the event names it', async () => {
    const other = await startService('--set', 'access-token-seconds=9000000')
    const week = async (plan: Readonly<Record<string, number>>): Promise<JsonObject> => {
      await other.control('POST', '/clock/advance', { days: 7 })
      return obj(await other.control('POST', '/centres/weekly-refresh', plan))
    }
    const [id = ''] = strings(at(await week({ missing: 1 }), 'changed', 'missing'))
    const statusOf = async (): Promise<unknown> =>
      at((await other.call('GET', `${centrePath}/${id}`)).body, 'status')
    const seen = [await statusOf()]
    const retired: string[][] = []
    for (let turn = 0; turn < 3; turn += 1) {
      retired.push(strings(at(await week({}), 'changed', 'retired')))
      seen.push(await statusOf())
    }
    await other.stop()
    expect(seen[0]).toBe('MISSING')
    expect(seen[1]).toBe('MISSING')
    expect(seen[3]).toBe('RETIRED')
    expect(retired.flat().filter((one) => one === id)).toEqual([id])
  })
})
