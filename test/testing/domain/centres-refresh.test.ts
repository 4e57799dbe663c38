import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory, NOW } from './directory-support.js'
import { centre, centrePage } from './shapes.js'

const KINDS = ['created', 'updated', 'revived', 'missing', 'retired'] as const
const perKind = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({ created: shape, updated: shape, revived: shape, missing: shape, retired: shape })

const updatedData = z.strictObject({
  runUuid: z.uuid(),
  ranAt: z.iso.datetime(),
  counts: perKind(z.int().min(0)),
  changed: perKind(z.array(z.uuid())),
})

let api: Directory
beforeEach(async () => {
  api = await Directory.start({ centreCount: 500 })
  return () => api.stop()
})

const list = (query: string) => api.ask(`/v1/collection-centres?count=10000&${query}`, centrePage)
const found = async (query: string) =>
  (await list(query)).collectionCentres.map(({ uuid }) => uuid).toSorted()
const retrieve = (uuid: string | undefined) => api.ask(`/v1/collection-centres/${uuid}`, centre)
const statusOf = async (uuid: string | undefined) => (await retrieve(uuid)).status
const changedSince = (time: string) => found(`changedSince=${encodeURIComponent(time)}`)
const uuidsWith = async (status: string) =>
  (await list('')).collectionCentres.filter((entry) => entry.status === status).map(({ uuid }) => uuid)
const events = () =>
  api.fake.deliveries
    .events()
    .filter(({ eventName }) => eventName === 'collection_centres.updated')
    .map(({ data }) => updatedData.parse(data))
const week = () => api.fake.clock.advance({ days: 7 })

describe('the weekly refresh', () => {
  it('the event of a refresh has its run, time, counts and every changed uuid by kind (§6)', async () => {
    const plan = { created: 3, updated: 7, revived: 2, missing: 4, retired: 1 }
    const outcome = api.fake.centres.weeklyRefresh(plan)
    const [event, ...others] = events()
    expect(others).toEqual([])
    expect(event).toMatchObject({ runUuid: outcome.runUuid, ranAt: NOW, counts: plan })
    for (const kind of KINDS) {
      expect(event?.changed[kind]).toHaveLength(plan[kind])
      expect(new Set(event?.changed[kind]).size).toBe(plan[kind])
    }
  })

  it('a changed centre is in one list of the event only, unless it came back with new details (§6)', async () => {
    api.fake.centres.weeklyRefresh({ created: 5, updated: 50, revived: 3, missing: 40, retired: 1 })
    const all = Object.values(events()[0]?.changed ?? {}).flat()
    expect(new Set(all).size).toBe(all.length)
  })

  it('a refresh that changes nothing is recorded and sends no event (§6)', async () => {
    const outcome = api.fake.centres.weeklyRefresh()
    expect(outcome.eventSent).toBe(false)
    expect(events()).toEqual([])
    expect(api.fake.centres.refreshes().map(({ runUuid }) => runUuid)).toEqual([outcome.runUuid])
  })

  it('an ACTIVE centre becomes MISSING when the listing omits it, and is still listed (§3.4)', async () => {
    const [uuid = ''] = await uuidsWith('ACTIVE')
    await week()
    api.fake.centres.weeklyRefresh({ missing: [uuid] })
    expect(await statusOf(uuid)).toBe('MISSING')
    expect(await found('')).toContain(uuid)
    expect(events()[0]?.changed.missing).toEqual([uuid])
  })

  it('lastSeenAt changes for centres in the listing, and stays for those left out (§2.11)', async () => {
    const [uuid = '', other = ''] = await uuidsWith('ACTIVE')
    const before = (await retrieve(uuid)).lastSeenAt
    await week()
    const { ranAt } = api.fake.centres.weeklyRefresh({ missing: [uuid] })
    expect((await retrieve(uuid)).lastSeenAt).toBe(before)
    expect((await retrieve(other)).lastSeenAt).toBe(ranAt)
  })

  it('a centre that is MISSING in three listings in a row becomes RETIRED (§3.4)', async () => {
    const [uuid = ''] = await uuidsWith('ACTIVE')
    api.fake.centres.weeklyRefresh({ missing: [uuid] })
    await week()
    api.fake.centres.weeklyRefresh()
    expect(await statusOf(uuid)).toBe('MISSING')
    await week()
    const { changed } = api.fake.centres.weeklyRefresh()
    expect(changed.retired).toContain(uuid)
    expect(await statusOf(uuid)).toBe('RETIRED')
    expect(await found('')).not.toContain(uuid)
    expect(await found(`uuids=${uuid}`)).toEqual([uuid])
  })

  it('a requested number of retirements takes the centres that have been MISSING longest (§3.4)', () => {
    const { weeklyRefresh, all } = api.fake.centres
    const earlier = all().filter(({ status }) => status === 'MISSING')
    weeklyRefresh({ missing: 30 })
    const { changed } = weeklyRefresh({ retired: earlier.length })
    expect(changed.retired.toSorted()).toEqual(earlier.map(({ uuid }) => uuid).toSorted())
  })

  it('weeks as MISSING that are not in a row do not count (§3.4)', async () => {
    const [uuid = ''] = await uuidsWith('ACTIVE')
    const { weeklyRefresh } = api.fake.centres
    weeklyRefresh({ missing: [uuid] })
    weeklyRefresh({ revived: [uuid] })
    weeklyRefresh({ missing: [uuid] })
    weeklyRefresh()
    expect(await statusOf(uuid)).toBe('MISSING')
  })

  it('retireAfterMissingWeeks changes after how many weeks a centre becomes RETIRED', async () => {
    const quick = await Directory.start({ centreCount: 50, retireAfterMissingWeeks: 2 })
    const [uuid = ''] = quick.fake.centres.weeklyRefresh({ missing: 1 }).changed.missing
    expect(quick.fake.centres.weeklyRefresh().changed.retired).toContain(uuid)
    await quick.stop()
  })

  it('a MISSING centre that is listed again becomes ACTIVE, and is reported as revived (§3.4)', async () => {
    const [uuid = ''] = await uuidsWith('MISSING')
    const { changed } = api.fake.centres.weeklyRefresh({ revived: [uuid] })
    expect(changed.revived).toEqual([uuid])
    expect(changed.updated).toEqual([])
    expect(await statusOf(uuid)).toBe('ACTIVE')
  })

  it('a revived centre with new details is in both revived and updated (§6)', async () => {
    const [uuid = '', other = ''] = await uuidsWith('MISSING')
    const before = await retrieve(uuid)
    api.fake.centres.weeklyRefresh({ revived: [uuid, other], revivedWithNewDetails: [uuid] })
    const [event] = events()
    expect(event?.changed.revived).toEqual([uuid, other])
    expect(event?.changed.updated).toEqual([uuid])
    expect(event?.counts).toMatchObject({ revived: 2, updated: 1 })
    const after = await retrieve(uuid)
    expect({ ...after, status: '', lastSeenAt: '' }).not.toEqual({ ...before, status: '', lastSeenAt: '' })
  })

  it('an update changes details, sometimes only the opening hours (§6)', async () => {
    const chosen = (await uuidsWith('ACTIVE')).slice(0, 120)
    const before = await Promise.all(chosen.map(retrieve))
    api.fake.centres.weeklyRefresh({ updated: chosen })
    const after = await Promise.all(chosen.map(retrieve))
    const changes = after.map((entry, place) =>
      Object.entries(entry)
        .filter(([field]) => field !== 'lastSeenAt')
        .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(Object(before[place])[field]))
        .map(([field]) => field),
    )
    for (const fields of changes) expect(fields).toHaveLength(1)
    for (const { phone, services } of after) {
      if (phone !== null) expect(phone).toMatch(/^\(0[2378]\) (5550|7010) \d{4}$/)
      expect(new Set(services).size).toBe(services.length)
    }
    expect(new Set(changes.flat())).toContain('openingHours')
    expect(new Set(changes.flat()).size).toBeGreaterThan(2)
  })

  it('created centres can be found from then on (§6)', async () => {
    const before = await found('')
    const { changed } = api.fake.centres.weeklyRefresh({ created: 4 })
    expect(await found('')).toEqual([...before, ...changed.created].toSorted())
    for (const uuid of changed.created) expect(await retrieve(uuid)).toMatchObject({ status: 'ACTIVE' })
  })

  it('an impossible plan of a refresh is rejected', () => {
    const { weeklyRefresh, all } = api.fake.centres
    const active = all().find(({ status }) => status === 'ACTIVE')?.uuid ?? ''
    expect(() => weeklyRefresh({ missing: 5_000 })).toThrow('cannot select 5000 centres')
    expect(() => weeklyRefresh({ missing: -1 })).toThrow(RangeError)
    expect(() => weeklyRefresh({ updated: 1.5 })).toThrow(
      "updated must be an integer of at least 0, a list of UUIDs, or 'all'",
    )
    expect(() => Reflect.apply(weeklyRefresh, undefined, [{ revivedWithNewDetails: 'all' }])).toThrow(
      'revivedWithNewDetails must be an integer of at least 0 or a list of UUIDs',
    )
    expect(() => weeklyRefresh({ created: -1 })).toThrow(RangeError)
    expect(() => weeklyRefresh({ revived: [active] })).toThrow('it is not MISSING')
    expect(() => weeklyRefresh({ retired: [active] })).toThrow('it is not MISSING')
    expect(() => weeklyRefresh({ missing: [active], updated: [active] })).toThrow('the plan selects it twice')
    expect(() => weeklyRefresh({ missing: [active, active.toUpperCase()] })).toThrow(
      'the plan selects it twice',
    )
    expect(() => Reflect.apply(weeklyRefresh, undefined, [{ mising: 1 }])).toThrow(
      'plan: unknown field mising',
    )
    expect(() => Reflect.apply(weeklyRefresh, undefined, [{ missing: 'some' }])).toThrow(RangeError)
    expect(events()).toEqual([])
  })
})

describe('changedSince', () => {
  it('changedSince with ranAt finds exactly the centres that the refresh changed, also RETIRED ones (§4.5)', async () => {
    await week()
    const { ranAt, changed } = api.fake.centres.weeklyRefresh({
      created: 3,
      updated: 6,
      revived: 2,
      revivedWithNewDetails: 1,
      missing: 5,
      retired: 1,
    })
    const all = new Set(Object.values(changed).flat())
    expect(await changedSince(ranAt)).toEqual([...all].toSorted())
    const { collectionCentres } = await list(`changedSince=${ranAt}`)
    const retired = collectionCentres.filter(({ status }) => status === 'RETIRED').map(({ uuid }) => uuid)
    expect(retired.toSorted()).toEqual(changed.retired.toSorted())
  })

  it('changedSince includes the time itself, and not a millisecond later (§4.5)', async () => {
    await week()
    const { ranAt, changed } = api.fake.centres.weeklyRefresh({ updated: 3 })
    expect(await changedSince(ranAt)).toEqual(changed.updated.toSorted())
    expect(await changedSince(new Date(Date.parse(ranAt) + 1).toISOString())).toEqual([])
  })

  it('changedSince accepts offsets and a date without a time, and reads a time without zone as UTC (§4.5)', async () => {
    await week()
    const { changed } = api.fake.centres.weeklyRefresh({ updated: 2 })
    const updated = changed.updated.toSorted()
    expect(await changedSince('2025-03-17T13:00:00+11:00')).toEqual(updated)
    expect(await changedSince('2025-03-17T13:00:01+11:00')).toEqual([])
    expect(await changedSince('2025-03-17T02:00:00')).toEqual(updated)
    expect(await changedSince('2025-03-17')).toEqual(updated)
    expect(await changedSince('2025-03-18')).toEqual([])
  })

  it('changedSince with the earliest time finds every listed centre, and the RETIRED ones (§4.5)', async () => {
    const everything = await changedSince('2000-01-01T00:00:00Z')
    expect(everything).toEqual(expect.arrayContaining(await found('')))
    const statuses = (await list('changedSince=2000-01-01')).collectionCentres.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set(['ACTIVE', 'MISSING', 'RETIRED']))
  })

  it('changedSince combines with the other filters (§4.5)', async () => {
    const { ranAt } = api.fake.centres.weeklyRefresh({ updated: 200 })
    const { collectionCentres } = await list(`changedSince=${ranAt}&states=VIC&lat=-37.8&lng=145`)
    expect(collectionCentres.length).toBeGreaterThan(10)
    expect(new Set(collectionCentres.map(({ state }) => state))).toEqual(new Set(['VIC']))
    expect(collectionCentres.every(({ distanceKm }) => distanceKm !== undefined)).toBe(true)
  })

  it('a copy that is updated with changedSince equals the directory, after any weeks (§4.5)', async () => {
    const copy = new Map((await list('')).collectionCentres.map((entry) => [entry.uuid, entry]))
    const start = new Set(copy.keys())
    for (const plan of [
      { missing: 30, updated: 60 },
      { created: 9, revived: 4 },
      { missing: 5, updated: 20 },
      { updated: 3 },
      { created: 1, missing: 2 },
    ]) {
      await week()
      const { ranAt } = api.fake.centres.weeklyRefresh(plan)
      for (const entry of (await list(`changedSince=${ranAt}`)).collectionCentres) {
        if (entry.status === 'RETIRED') copy.delete(entry.uuid)
        else copy.set(entry.uuid, entry)
      }
    }
    const now = new Map((await list('')).collectionCentres.map((entry) => [entry.uuid, entry]))
    const withoutTime = (entries: typeof copy) =>
      [...entries.values()]
        .map(({ lastSeenAt: _, ...entry }) => entry)
        .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1))
    expect(withoutTime(copy)).toEqual(withoutTime(now))
    expect([...start].filter((uuid) => !now.has(uuid)).length).toBeGreaterThan(10)
  })
})

describe('refreshes on the clock', () => {
  it('without centreRefresh no refresh happens when the clock advances', async () => {
    await api.fake.clock.advance({ days: 60 })
    expect(api.fake.centres.refreshes()).toEqual([])
  })

  it('with centreRefresh: weekly at most one event a week is sent (§6)', async () => {
    const weekly = await Directory.start({ centreCount: 300, centreRefresh: 'weekly' })
    await weekly.fake.clock.advance({ days: 6, hours: 23 })
    expect(weekly.fake.centres.refreshes()).toHaveLength(0)
    await weekly.fake.clock.advance({ hours: 1 })
    expect(weekly.fake.centres.refreshes()).toHaveLength(1)
    await weekly.fake.clock.advance({ days: 21 })
    const runs = weekly.fake.centres.refreshes().map(({ ranAt }) => ranAt)
    expect(runs).toEqual(
      [17, 24, 31].map((day) => `2025-03-${day}T02:00:00.000Z`).concat('2025-04-07T02:00:00.000Z'),
    )
    expect(weekly.fake.deliveries.events().length).toBeGreaterThan(0)
    await weekly.stop()
  })

  it('weekly refreshes continue after a restore, and start again after a reset', async () => {
    const weekly = await Directory.start({ centreCount: 50, centreRefresh: 'weekly' })
    await weekly.fake.clock.advance({ days: 5 })
    const snapshot = weekly.fake.snapshot()
    weekly.fake.reset()
    await weekly.fake.clock.advance({ days: 6 })
    expect(weekly.fake.centres.refreshes()).toHaveLength(0)
    weekly.fake.restore(snapshot)
    await weekly.fake.clock.advance({ days: 2 })
    expect(weekly.fake.centres.refreshes()).toHaveLength(1)
    await weekly.stop()
  })

  it('centreRefresh can have a schedule of your own', async () => {
    const own = await Directory.start({
      centreCount: 50,
      centreRefresh: { firstAfterMs: 1_000, everyMs: 60_000 },
    })
    await own.fake.clock.advance({ minutes: 3 })
    expect(own.fake.centres.refreshes()).toHaveLength(3)
    await own.stop()
  })
})

describe('snapshots', () => {
  it('a snapshot has the directory with its changes, and restores it any number of times', async () => {
    const { changed } = api.fake.centres.weeklyRefresh({ created: 2, missing: 3 })
    const before = await list('')
    const snapshot = api.fake.snapshot()
    for (const round of [1, 2]) {
      api.fake.centres.weeklyRefresh({ created: round, retired: 'all', updated: 'all' })
      expect(await list('')).not.toEqual(before)
      api.fake.restore(snapshot)
      expect(await list('')).toEqual(before)
    }
    api.fake.centres.weeklyRefresh({ revived: changed.missing, updated: changed.created })
    expect(await statusOf(changed.missing[0])).toBe('ACTIVE')
  })
})

describe('delivery of collection_centres.updated', () => {
  it('a body of about 250 KB arrives complete and signed (§6, §8)', async () => {
    const whole = await Directory.start({ allowLoopbackWebhooks: true })
    const received: { body: Buffer; signature: unknown }[] = []
    const receiver = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        received.push({ body: Buffer.concat(parts), signature: request.headers['x-svc-hmac-sha256'] })
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = z.object({ port: z.number() }).parse(receiver.address())
    const body = { url: `http://127.0.0.1:${address.port}/hook`, events: ['collection_centres.updated'] }
    expect((await whole.send('/v1/webhooks', { method: 'POST', body })).status).toBe(200)

    const { counts } = whole.fake.centres.weeklyRefresh({ updated: 'all', created: 500 })
    await whole.fake.settled()
    await new Promise((resolve) => receiver.close(resolve))
    await whole.stop()

    expect(counts.updated).toBeGreaterThan(5_800)
    const [delivery, ...others] = received
    expect(others).toEqual([])
    const bytes = delivery?.body ?? Buffer.alloc(0)
    expect(bytes.length).toBeGreaterThan(240_000)
    expect(bytes.length).toBeLessThan(260_000)
    expect(delivery?.signature).toBe(
      createHmac('sha256', whole.fake.signingSecret).update(bytes).digest('hex'),
    )
    const envelope = z
      .object({ eventName: z.string(), data: updatedData })
      .parse(JSON.parse(bytes.toString()))
    expect(envelope.data.changed.updated).toHaveLength(counts.updated)
  })
})
