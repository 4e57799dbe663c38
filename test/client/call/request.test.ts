import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, fetchOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

it.each([
  ['wh:1.2', 'wh%3A1.2'],
  ['wh_1-A', 'wh_1-A'],
  ['$&=+,;@', '%24%26%3D%2B%2C%3B%40'],
  ['...', '...'],
])('the id %s of a webhook is encoded in the path (§2.12)', async (id, encoded) => {
  const service = await ScriptedServer.start()
  const { webhooks } = clientOf(service.origin, { responseValidation: 'off' })
  service.on(`GET /v1/webhooks/${encoded}`, { json: { id } })
  expect(await webhooks.retrieve(id)).toEqual({ id })
  service.on(`DELETE /v1/webhooks/${encoded}`, { json: { id } })
  await webhooks.delete(id)
  expect(service.calls.map(({ path }) => path)).toEqual(Array(2).fill(`/v1/webhooks/${encoded}`))
})

it('the id of a webhook in another form is rejected with its rule', async () => {
  const { webhooks } = clientOf('http://127.0.0.1:1')
  const issues = [{ field: 'id', message: 'id must be the id of a webhook' }]
  expect(await rejection(webhooks.retrieve('a/b'))).toMatchObject({ issues })
})

const { address: _, ...homeless } = order()

it.each([
  ['a missing address', homeless, 'address', 'address is required'],
  ['an invalid card number', medicareOrder({ medicareCardNumber: '69505073811' }), 'medicareCardNumber', ''],
  [
    'a card without its IRN',
    medicareOrder({ medicareCardNumber: '2951873125' }),
    'medicareCardNumber',
    'IRN',
  ],
  [
    'a field with a name of ours',
    { ...order(), createdAt: 'x' },
    'createdAt',
    'is not a field of this request',
  ],
  [
    'a field whose name is misspelt',
    { ...order(), address: { ...order().address, pstCode: '3000' } },
    'address.pstCode',
    'is not a field of this request; did you mean postCode?',
  ],
  ['no order', undefined, undefined, ''],
  ['a list', [], 'firstName', ''],
] as const)(
  'an order with %s is rejected before anything is sent, with the field and the rule',
  async (_title, given, field, rule) => {
    const service = await ScriptedServer.start()
    const error = await rejection(clientOf(service.origin).referrals.create(given as never))
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not-sent', attempts: 0 })
    const { issues } = error as { issues: { field?: string; message: string }[] }
    expect(issues.map((issue) => issue.field)).toContain(field)
    expect(issues.map((issue) => issue.message).join()).toContain(rule)
    expectNoCanary(error)
    expect(service.requests).toHaveLength(0)
  },
)

it.each(['uuids', 'pathologyProviders', 'vendors', 'testingTypes', 'states', 'postcodes', 'include'])(
  'the filter %s must be a list with entries, because an empty one would not filter (§4.5)',
  async (field) => {
    const service = await ScriptedServer.start()
    const client = clientOf(service.origin)
    const resource = field === 'include' ? client.tests : client.centres
    const cases = [
      [[], 'must have at least 1 entry'],
      ['', 'must be a list'],
      [null, 'must be a list'],
      [[''], ''],
      [[undefined], 'is required'],
      [new Array(2), 'is required'],
    ] as const
    for (const [given, rule] of cases) {
      const query = { [field]: given }
      const error = await rejection(resource.list(query as never).firstPage())
      expect([given, error]).toEqual([given, expect.objectContaining({ name: 'InvalidRequestError' })])
      expect(error).toHaveProperty('issues.0.field', expect.stringMatching(`^${field}(\\[\\d\\])?$`))
      expect(error).toHaveProperty('issues.0.message', expect.stringContaining(rule))
    }
    expect(service.requests).toHaveLength(0)
  },
)

it('events and vendorIds must have an entry (§4.4, §4.6)', async () => {
  const service = await ScriptedServer.start()
  const { webhooks, providers } = clientOf(service.origin)
  const attestation = { attestedBy: 'Dr Roe', doctorSignedAt: new Date() }
  const rule = (field: string) => ({ issues: [{ field, message: `${field} must have at least 1 entry` }] })
  const url = 'https://hooks.example.com/in'
  expect(await rejection(webhooks.create({ url, events: [] }))).toMatchObject(rule('events'))
  expect(await rejection(webhooks.update('hook-1', { events: [] }))).toMatchObject(rule('events'))
  const routing = providers.requestRouting('2426621L', { vendorIds: [], attestation })
  expect(await rejection(routing)).toMatchObject(rule('vendorIds'))
  expect(service.requests).toHaveLength(0)
})

it("every problem of an order is reported at once, in the form of the service's errors", async () => {
  const service = await ScriptedServer.start()
  const error = await rejection(
    clientOf(service.origin).referrals.create({ firstName: '', dob: 'x' } as never),
  )
  const { errorList } = error as { errorList: string[] }
  expect(errorList.length).toBeGreaterThanOrEqual(8)
  expect(errorList.every((entry) => /\[field: [\w.]+\]$/.test(entry))).toBe(true)
})

it('fields of 1.1.0 are rejected with 1.0.0, and the error names the option', async () => {
  const service = await ScriptedServer.start()
  const client = clientOf(service.origin, { apiVersion: '1.0.0' })
  for (const given of [order({ bundleId: 'b' }), medicareOrder()]) {
    expect(String(await rejection(client.referrals.create(given)))).toContain('apiVersion')
  }
  expect(service.requests).toHaveLength(0)
})

it('an order and its nested objects are not changed', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/referrals', { json: [referral(), referral({ medicare: true })] })
  const freeze = <T>(value: T): T => {
    for (const part of Object.values(value ?? {})) if (typeof part === 'object') freeze(part)
    return Object.freeze(value)
  }
  const given = freeze(medicareOrder({ medicareCardNumber: '2951 87312 5/1', metadata: { a: { b: 1 } } }))
  await clientOf(service.origin).referrals.create(given)
  const sent = JSON.parse(service.calls[0]?.body ?? '{}')
  expect(sent.medicareCardNumber).toBe('29518731251')
  expect(given.medicareCardNumber).toBe('2951 87312 5/1')
})

const foreign = () => {
  const then = (_: unknown, reject: (error: Error) => void): void => reject(new Error('disk full'))
  return { then }
}

it.each([
  [
    'throws',
    () => {
      throw new Error('disk full')
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
  ["returns another library's promise that rejects", foreign],
] as const)('a logger that %s does not affect a call', async (_, warn) => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', listener)
  const fetch = fetchOf(() => ({ ...referral({ uuid: UUID }), tests: 7 }))
  const client = clientOf('https://api.clinic.example', { fetch, logger: { warn } })
  await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ tests: 7 })
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', listener)
  expect(unhandled).toEqual([])
})

it('an order with many unknown fields is rejected, and names only the first ones', async () => {
  const service = await ScriptedServer.start()
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`Jane Citizen ${at}`, 1]))
  const error = await rejection(clientOf(service.origin).referrals.create({ ...order(), ...fields }))
  expect(error).toMatchObject({ name: 'InvalidRequestError' })
  expect(String(error)).toContain('has an unknown field: field number 20')
  expect(String(error)).not.toContain('Jane')
})
