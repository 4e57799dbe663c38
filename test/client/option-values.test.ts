import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

type Call = (client: PathologyClient, value: never) => Promise<unknown>

/** Boolean options of methods. An error that is thrown at once rejects too. */
const BOOLEANS: readonly (readonly [name: string, call: Call])[] = [
  ['plausible', ({ referrals }, plausible) => referrals.validate(order(), { plausible })],
  ['catalogue', ({ referrals }, catalogue) => referrals.validate(order(), { catalogue })],
  ['partial', async ({ referrals }, partial) => referrals.generateResults(UUID, { partial })],
  ['prefetch', async ({ results }, prefetch) => results.list({ prefetch }).toArray()],
  ['skipDuplicates', async ({ webhooks }, skipDuplicates) => webhooks.list({ skipDuplicates }).toArray()],
  [
    'prefetch',
    async ({ referrals }, prefetch) => referrals.findByReferenceNumber('r', { prefetch }).toArray(),
  ],
]

describe('an option with an invalid value is rejected before a request', () => {
  it.each(
    BOOLEANS.flatMap(([name, call]) => ['true', 'false', 1, 0, null].map((value) => ({ name, call, value }))),
  )('$name: $value', async ({ name, call, value }) => {
    const server = await ScriptedServer.start()
    expect(await rejection(call(clientOf(server.origin), value as never))).toMatchObject({
      name: 'ConfigurationError',
      message: `${name} must be true or false`,
    })
    expect(server.requests).toHaveLength(0)
  })

  it('undefined means the default', async () => {
    const { referrals } = clientOf('http://127.0.0.1:1')
    const options = { plausible: undefined, catalogue: undefined }
    await expect(referrals.validate(order(), options)).resolves.toEqual(order())
  })

  it.each(['download', '', null])('disposition: %j', async (disposition) => {
    const server = await ScriptedServer.start()
    const document = clientOf(server.origin).referrals.document(UUID)
    const error = await rejection(document.toResponse({ disposition: disposition as never }))
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: "disposition must be 'inline' or 'attachment'",
    })
  })

  it('toArray rejects an unknown name, instead of reading the complete list', async () => {
    const server = await ScriptedServer.start()
    const error = await rejection(
      clientOf(server.origin)
        .centres.list()
        .toArray({ max: 5 } as never),
    )
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('max is not an option of toArray'),
    })
    expect(server.requests).toHaveLength(0)
  })
})
