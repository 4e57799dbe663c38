import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

describe('the error of an invalid header shows only a name that cannot be data', () => {
  const messageFor = (name: string): Promise<unknown> =>
    rejection(clientOf('http://127.0.0.1:1').referrals.retrieve(UUID, { headers: { [name]: 'né' } }))

  it.each(['x-request-id', 'Tenant-Name', 'traceparent', 'TraceState', 'baggage'])('%s', async (name) => {
    expect(await messageFor(name)).toMatchObject({
      name: 'ConfigurationError',
      message: `headers.${name} must be a string of printable ASCII characters`,
    })
  })

  it.each(['tenant', '4x-tenant', 'x-tenant4', 'x-4tenant', 'mybaggage4', '4baggage', '-x', 'x-'])(
    'not %s',
    async (name) => {
      expect(await messageFor(name)).toMatchObject({
        name: 'ConfigurationError',
        message: 'a value in headers must be a string of printable ASCII characters',
      })
    },
  )
})

describe('headers of requests that share a token', () => {
  it('each request has those of its own version, body and compression (property)', async () => {
    const server = await ScriptedServer.start()
    server.on('GET /v1/referrals/*', { json: referral() })
    server.on('GET /v1/vendors', { json: { vendors: [] } })
    server.on('PATCH /v1/referrals/*', { json: referral() })
    const { referrals, vendors } = clientOf(server.origin)
    const requests = fc.record({
      kind: fc.constantFrom('retrieve', 'update', 'list'),
      apiVersion: fc.constantFrom('1.0.0' as const, '1.1.0' as const),
      headers: fc.constantFrom({}, { 'x-tenant': 'north' }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 6 }), async (given) => {
        for (const { kind, ...options } of given) {
          if (kind === 'retrieve') await referrals.retrieve(UUID, options)
          else if (kind === 'update') await referrals.update(UUID, { metadata: {} }, options)
          else await vendors.list({}, options).firstPage()
        }
        const seen = server.calls.slice(-given.length).map(({ headers }) => ({
          accept: headers['accept'],
          type: headers['content-type'],
          encoding: headers['accept-encoding'],
          tenant: headers['x-tenant'],
        }))
        expect(seen).toEqual(
          given.map(({ kind, apiVersion, headers }) => ({
            accept: `application/vnd.svc.v${apiVersion}+json`,
            type: kind === 'update' ? 'application/json' : undefined,
            encoding: kind === 'list' ? 'gzip' : 'identity',
            tenant: 'x-tenant' in headers ? 'north' : undefined,
          })),
        )
      }),
      { numRuns: 50 },
    )
  })
})
