import {
  type AppInfo,
  type ClientOptions,
  encryptedTokenStore,
  type OrderOptions,
  PathologyClient,
} from 'pathology-sdk'
import { describe, expect, it, vi } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, referral } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

describe('options that are not own, enumerable properties are not ignored silently', () => {
  const notCalled = (): never => {
    throw new Error('a getter was called')
  }
  const inheriting = (values: object): object => Object.create(values)
  class WithHidden {
    constructor() {
      Object.defineProperty(this, 'orderKey', { value: 'job-7', enumerable: false })
    }
  }
  class WithFields {
    readonly orderKey = 'job-7'
    readonly timeout = 20_000
  }

  it.each<[string, OrderOptions]>([
    ['an inherited value', Object.create({ orderKey: 'job-7' })],
    ['a field that is not enumerable', new WithHidden()],
  ])('create rejects %s, and sends nothing', async (_, options) => {
    const service = await ScriptedServer.start()
    const client = clientOf(service.origin)
    const error = await rejection(client.referrals.create(order(), options))
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: 'orderKey of referrals.create must be an own, enumerable property',
    })
    expect(service.requests).toHaveLength(0)
  })

  it('the client rejects a getter, although the environment has a value', () => {
    for (const name of ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET'])
      vi.stubEnv(`PATHOLOGY_${name}`, 'https://production.example')
    const config: ClientOptions = Object.create(null, { baseUrl: { get: notCalled } })
    expect(() => new PathologyClient(Object.create(config))).toThrow(
      'baseUrl of PathologyClient must be an own, enumerable property',
    )
  })

  it('appInfo and encryptedTokenStore reject getters and unknown names', () => {
    const client = (appInfo: object) => () => clientOf('http://127.0.0.1:9', { appInfo: appInfo as AppInfo })
    expect(client(inheriting({ name: 'clinic', version: '1' }))).toThrow(
      'name of appInfo must be an own, enumerable property',
    )
    expect(client({ name: 'clinic', versoin: '1' })).toThrow('did you mean version?')
    const store = (options: object) => () => encryptedTokenStore(new Map(), new Uint8Array(32), options)
    expect(store(inheriting({ onUnreadable: notCalled }))).toThrow(
      'onUnreadable of encryptedTokenStore must be an own, enumerable property',
    )
    expect(store({ onUnreadble: notCalled })).toThrow('did you mean onUnreadable?')
    expect(store({ onUnreadable: 'log' })).toThrow('onUnreadable must be a function')
  })

  it.each<[string, string, (client: PathologyClient) => unknown]>([
    [
      'timeout',
      'referrals.list',
      (client) => client.referrals.list({}, inheriting({ timeout: 1 })).toArray(),
    ],
    [
      'apiVersion',
      'vendors.list',
      (client) => client.vendors.list({}, inheriting({ apiVersion: '1.0.0' })).firstPage(),
    ],
    [
      'since',
      'referrals.findByReferenceNumber',
      (client) =>
        client.referrals.findByReferenceNumber('order-1', inheriting({ since: '2026-03-01' })).toArray(),
    ],
    [
      'signal',
      'centres.changes',
      async (client) => client.centres.changes({}, inheriting({ signal: new AbortController().signal })),
    ],
  ])('%s of %s', async (name, operation, call) => {
    const service = await ScriptedServer.start()
    const error = await rejection(Promise.resolve(call(clientOf(service.origin))))
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: `${name} of ${operation} must be an own, enumerable property`,
    })
    expect(service.requests).toHaveLength(0)
  })

  it('fields of a class instance are options', async () => {
    const service = await ScriptedServer.start()
    service.on('POST /v1/referrals', { json: referral() })
    service.on('GET /v1/referrals', { json: { referrals: [] } })
    const placed = await clientOf(service.origin).referrals.create(order(), new WithFields())
    expect(placed.orderKey).toBe('job-7')
  })
})
