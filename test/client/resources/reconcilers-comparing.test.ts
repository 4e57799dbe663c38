import type { Referral, ReferralPatch, Webhook } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf } from '../../support/clients.js'
import { page, referral, UUID, webhook } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'

const REFERRAL = `/v1/referrals/${UUID}`
const MINUTE = 60_000
const reset: Reply = { reset: 'before' }

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

/** A patch whose response is lost, and the referral afterwards. Returns the number of requests. */
async function timesSent(patch: ReferralPatch, shown: Partial<Referral>): Promise<number> {
  const server = await ScriptedServer.start()
  const now = referral({ uuid: UUID, status: 'SCHEDULED_REISSUE', ...shown })
  server.on(`PATCH ${REFERRAL}`, reset, { json: now }).on(`GET ${REFERRAL}`, { json: now })
  await clientOf(server.origin).referrals.update(UUID, patch)
  return server.count(`PATCH ${REFERRAL}`)
}

const { person } = referral()
const address = { ...person.address, addressLine2: null, postCode: '7250', city: 'Launceston' }

it.each<[string, ReferralPatch, Partial<Referral>]>([
  [
    'every field',
    { phone: '0362001234', email: 'a@b.example' },
    { person: { ...person, phone: '0362001234', email: 'a@b.example' } },
  ],
  [
    'a field that was not sent does not count',
    { phone: '0362001234', email: undefined },
    { person: { ...person, phone: '0362001234' } },
  ],
  ['an address, with null for nothing', { address }, { person: { ...person, address } }],
  [
    'an address that leaves null out',
    { address },
    { person: { ...person, address: { ...person.address, postCode: '7250', city: 'Launceston' } } },
  ],
  [
    'a key of metadata among others',
    { metadata: { clinic: 'south' } },
    { metadata: { clinic: 'south', other: 1 } },
  ],
  ['a key that was removed', { metadata: { old: null } }, { metadata: { other: 1 } }],
  ['the only key that was removed', { metadata: { old: null } }, { metadata: null }],
  ['a list', { metadata: { tags: ['a', 'b'] } }, { metadata: { tags: ['a', 'b'] } }],
  [
    'a date and bytes, which the referral has as JSON',
    { metadata: { visit: new Date(0), file: { data: Buffer.from('a') } } },
    {
      metadata: {
        visit: '1970-01-01T00:00:00.000Z',
        file: { data: JSON.parse(JSON.stringify(Buffer.from('a'))) },
      },
    },
  ],
  ['zero and false', { metadata: { zero: 0, no: false } }, { metadata: { zero: 0, no: false } }],
])(
  'an update whose response is lost counts as carried out when the referral shows %s (§4.1)',
  async (_, patch, shown) => {
    expect(await timesSent(patch, shown)).toBe(1)
  },
)

it.each<[string, ReferralPatch, Partial<Referral>]>([
  [
    'one field of two',
    { phone: '0362001234', email: 'a@b.example' },
    { person: { ...person, phone: '0362001234' } },
  ],
  [
    'the person, and not the metadata',
    { phone: person.phone, metadata: { clinic: 'south' } },
    { metadata: { clinic: 'north' } },
  ],
  [
    'the metadata, and not the person',
    { phone: '0362001234', metadata: { clinic: 'south' } },
    { metadata: { clinic: 'south' } },
  ],
  ['another city', { address }, {}],
  ['a key that is still there', { metadata: { old: null } }, { metadata: { old: 1 } }],
  ['no metadata at all', { metadata: { clinic: 'south' } }, { metadata: null }],
  ['a text where an object was sent', { metadata: { nested: { a: 1 } } }, { metadata: { nested: 'a' } }],
  ['null where an object was sent', { metadata: { nested: { a: 1 } } }, { metadata: { nested: null } }],
  ['an empty object where nothing was', { metadata: { nested: {} } }, { metadata: { other: 1 } }],
  ['an empty object where null was', { metadata: { nested: {} } }, { metadata: { nested: null } }],
  ['a key of every object', { metadata: { nested: { toString: 'x' } } }, { metadata: { nested: {} } }],
  ['another list', { metadata: { tags: ['a', 'b'] } }, { metadata: { tags: ['a', 'c'] } }],
  ['a longer list', { metadata: { tags: ['a'] } }, { metadata: { tags: ['a', 'b'] } }],
  ['an empty list where a list was', { metadata: { tags: [] } }, { metadata: { tags: ['a'] } }],
  ['another date', { metadata: { visit: new Date(0) } }, { metadata: { visit: '1970-01-02T00:00:00.000Z' } }],
  ['one for true', { metadata: { flag: true } }, { metadata: { flag: 1 } }],
])(
  'an update whose response is lost is sent again when the referral shows %s (§4.1)',
  async (_, patch, shown) => {
    expect(await timesSent(patch, shown)).toBe(2)
  },
)

const wanted = {
  url: 'https://hooks.example.com/in',
  events: ['referral.issued', 'result.complete'],
} as const

/** A subscription whose response is lost, and the list afterwards. */
async function subscribe(shown: readonly Partial<Webhook>[]) {
  const server = await ScriptedServer.start()
  const made = { ...wanted, events: [...wanted.events], createdAt: ago(0) }
  const webhooks = shown.map((change) => webhook({ ...made, ...change }))
  server
    .on('POST /v1/webhooks', reset, { json: webhook({ ...made, id: 'wh_new' }) })
    .on('GET /v1/webhooks', { json: page('webhooks', webhooks) })
  const found = await clientOf(server.origin).webhooks.create({
    url: wanted.url,
    events: [...wanted.events],
  })
  return { server, found, sent: server.count('POST /v1/webhooks') }
}

it.each<[string, Partial<Webhook>]>([
  ['as it was sent', {}],
  ['with its URL normalised', { url: 'https://HOOKS.example.com:443/in' }],
  ['with its events in another order', { events: ['result.complete', 'referral.issued'] }],
  ['with an event twice', { events: ['result.complete', 'referral.issued', 'result.complete'] }],
  ['made a little before, by its clock', { createdAt: ago(4 * MINUTE) }],
])('a webhook whose POST is lost is found when the list has one %s (§4.6)', async (_, change) => {
  const { found, sent } = await subscribe([{ id: 'wh_found', ...change }])
  expect(sent).toBe(1)
  expect(found.id).toBe('wh_found')
})

it.each<[string, Partial<Webhook>]>([
  ['another URL', { url: 'https://hooks.example.com/out' }],
  // No event would arrive. If somebody has paused the new webhook, the repeat gets a 409.
  ['active: false', { active: false }],
  ['an invalid URL', { url: 'hooks' }],
  ['fewer events', { events: ['referral.issued'] }],
  ['more events', { events: ['referral.issued', 'result.complete', 'result.created'] }],
  ['no events', { events: null as never }],
  ['a time long before', { createdAt: ago(6 * MINUTE) }],
])(
  'a webhook whose POST is lost is sent again when the list has only one with %s (§4.6)',
  async (_, change) => {
    const { found, sent } = await subscribe([{ id: 'wh_other', ...change }])
    expect(sent).toBe(2)
    expect(found.id).toBe('wh_new')
  },
)
