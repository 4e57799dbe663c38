import { type ClientOptions, encryptedTokenStore, PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf } from '../support/clients.js'
import { order, referral } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

class WithFields {
  readonly orderKey = 'job-7'
}
class WithGetter {
  get orderKey(): string {
    return 'job-7'
  }
}
class Derived extends WithGetter {}

it.each([
  ['a field', new WithFields()],
  ['a getter', new WithGetter()],
  ['an inherited getter', new Derived()],
  ['a value of its prototype', Object.create({ orderKey: 'job-7' })],
])('an option that is %s is read', async (_, options) => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/referrals', { json: referral() })
  service.on('GET /v1/referrals', { json: { referrals: [] } })
  const placed = await clientOf(service.origin).referrals.create(order(), options)
  expect(placed.orderKey).toBe('job-7')
})

it('getters of the options of a client are read', async () => {
  class Config implements ClientOptions {
    readonly authUrl = 'https://auth.clinic.example'
    readonly clientId = 'client-1'
    readonly clientSecret = 'secret-1'
    get baseUrl(): string {
      return 'ftp://clinic.example'
    }
  }
  expect(() => new PathologyClient(new Config())).toThrow('baseUrl')
})

it('appInfo and encryptedTokenStore suggest the name that was meant', () => {
  const client = (appInfo: object) => () => clientOf('http://127.0.0.1:9', { appInfo } as ClientOptions)
  expect(client({ name: 'clinic', versoin: '1' })).toThrow('did you mean version?')
  const store = (options: object) => () => encryptedTokenStore(new Map(), new Uint8Array(32), options)
  expect(store({ onUnreadble: () => undefined })).toThrow('did you mean onUnreadable?')
  expect(store({ onUnreadable: 'log' })).toThrow('onUnreadable must be a function')
})
