import fc from 'fast-check'
import { PathologyError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { rejection } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { hostile, paths, watched } from './request-world.js'

it.each(paths)(
  'the parameter of $name is rejected before sending, or one plain segment (property)',
  async ({ call, path }) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (id) => {
        const { client, asked } = watched()
        try {
          await call(client, id)
        } catch (error) {
          expect(error).toBeInstanceOf(PathologyError)
        }
        for (const { url } of asked) {
          expect(url.origin).toBe('https://api.clinic.example')
          expect(url.pathname).toMatch(path)
        }
      }),
      { numRuns: 40 },
    )
  },
)

const bad: readonly unknown[] = [
  ...['../webhooks/1', '..', '.', '', ' ', '%2e%2e', 'a?x', 'a#f', 'a/b', '\uD800', 'x'.repeat(129)],
  ...[`${UUID}\n`, `${UUID}/..`, null, undefined, 7, {}, [UUID], { toString: () => UUID }, Symbol('x')],
]

it.each(paths)('$name rejects an invalid parameter with an error that names it', async ({ call }) => {
  for (const id of bad) {
    const { client, asked } = watched()
    const error = await rejection(call(client, id as string))
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      code: 'INVALID_PARAMETER',
      outcome: 'not-sent',
    })
    expect(error).toHaveProperty(['issues', 0, 'field'], expect.stringMatching(/^(uuid|id|providerNumber)$/))
    expect(asked).toEqual([])
  }
})

it('a UUID in capitals and a provider number with spaces are accepted', async () => {
  const { client, asked } = watched()
  await client.referrals.retrieve(UUID.toUpperCase())
  await client.providers.retrieve('2426 621b')
  expect(asked.map(({ url }) => url.pathname)).toEqual([
    `/base/v1/referrals/${UUID.toUpperCase()}`,
    '/base/v1/providers/2426621B',
  ])
})
