import { createMirror, type Mirror } from 'pathology-sdk/mirror'
import { expect, it } from 'vitest'
import { clientOf } from '../support/clients.js'

/** The database does not exist: a method that used it would fail with another error. */
function mirrorWithoutDatabase(): Mirror {
  return createMirror({
    database: 'postgres://nobody@127.0.0.1:9/none',
    client: clientOf('http://127.0.0.1:9'),
  })
}

/** Arguments before the options. */
const FIRST: Readonly<Record<string, readonly unknown[]>> = {
  sweep: ['recent'],
  'referrals.at': ['00000000-0000-4000-8000-000000000001', new Date()],
}

async function failureOf(method: string, options: unknown): Promise<unknown> {
  const mirror = mirrorWithoutDatabase()
  const [part = '', name] = method.split('.')
  const owner: object = name === undefined ? mirror : Reflect.get(mirror, part)
  const call: unknown = Reflect.get(owner, name ?? part)
  const values = [...(FIRST[method] ?? []), options]
  try {
    if (typeof call !== 'function') return undefined
    await Reflect.apply(call, owner, values)
    return undefined
  } catch (error) {
    return error
  } finally {
    await mirror.stop()
  }
}

const UUID = '00000000-0000-4000-8000-000000000001'

it.each([
  ['erase', { uuid: UUID, organization: 'north' }, 'organization is not an option of mirror.erase'],
  ['erase', {}, 'mirror.erase: uuid must be a UUID'],
  ['erase', { uuid: 'r-1' }, 'mirror.erase: uuid must be a UUID'],
  [
    'erase',
    { uuid: UUID, organisation: '' },
    'mirror.erase: organisation must be a string that is not empty',
  ],
  ['replay', {}, 'mirror.replay: consumer must be a string that is not empty'],
  ['replay', { consumer: 'a', after: '7' }, 'mirror.replay: after must be an integer of at least 0'],
  ['changes', { after: -1 }, 'mirror.changes: after must be an integer of at least 0'],
  ['changes', { after: 1.5 }, 'mirror.changes: after must be an integer of at least 0'],
  ['changes', { follow: 'yes' }, 'mirror.changes: follow must be true or false'],
  ['changes', { from: 7 }, 'from is not an option of mirror.changes'],
  ['verify', { sample: 0 }, 'mirror.verify: sample must be an integer of at least 1'],
  ['verify', { onProgress: true }, 'mirror.verify: onProgress must be a function'],
  ['backfill', { restart: 1 }, 'mirror.backfill: restart must be true or false'],
  ['sweep', { acceptgone: true }, 'did you mean acceptGone?'],
  ['start', { signal: {} }, 'mirror.start: signal must be an AbortSignal'],
  ['dead.retry', { uid: UUID }, 'uid is not an option of mirror.dead.retry'],
  ['dead.retry', { uuid: '' }, 'mirror.dead.retry: uuid must be a string that is not empty'],
  ['dead.skip', {}, 'mirror.dead.skip: position must be an integer of at least 1'],
  ['dead.list', { limit: 0 }, 'mirror.dead.list: limit must be an integer of at least 1'],
  ['documents.bytes', {}, "mirror.documents.bytes: kind must be 'referral' or 'result'"],
  ['referrals.at', { organization: 'north' }, 'organization is not an option of mirror.referrals.at'],
  ['drain', null, 'the options of mirror.drain must be an object'],
] as const)(
  'the options of %s are checked before the database is used: %j',
  async (method, options, message) => {
    expect(await failureOf(method, options)).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(message),
    })
  },
)

it.each([
  [{ history: 36_501 }, 'history must be an integer of at least 1 and at most 36500'],
  [{ eventDays: 3_650_000 }, 'eventDays must be an integer of at least 1 and at most 36500'],
  [{ poll: 3_600_001 }, 'poll must be an integer of at least 10 and at most 3600000'],
  [{ lease: 86_400_001 }, 'lease must be an integer of at least 1000 and at most 86400000'],
  [{ sweep: { openDays: 1e6 } }, 'sweep.openDays must be a number above 0 and at most 36500'],
  [{ sweep: { window: Number.MAX_SAFE_INTEGER } }, 'sweep.window must be a number above 0 and at most'],
  [{ sweep: JSON.parse('{"openDays":"30"}') }, 'sweep.openDays must be a number above 0'],
  [{ sweep: { requestsPerSecond: Number.NaN } }, 'sweep.requestsPerSecond must be a number above 0'],
])('createMirror rejects numbers that a database or a timer cannot use: %j', (options, message) => {
  const client = clientOf('http://127.0.0.1:9')
  expect(() => createMirror({ client, database: 'memory://', ...options })).toThrow(
    `createMirror: ${message}`,
  )
})

it('mirror.centres.nearest rejects an unknown option', async () => {
  const mirror = createMirror({ client: clientOf('http://127.0.0.1:9'), database: 'memory://' })
  const options = { lat: -33, lng: 151, withinKm: 10, count: 5 }
  await expect(mirror.centres.nearest(options)).rejects.toThrow(
    'count is not an option of mirror.centres.nearest',
  )
})
