import { randomBytes } from 'node:crypto'
import { encryptedTokenStore, type PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { KEY, labOrder, ledgerWorld, vouched } from '../client/ledger/ledger-world.js'
import { clientOf, rejection } from '../support/clients.js'
import { order } from '../support/samples.js'

const NOT_LOADED = {
  name: 'ConfigurationError',
  code: 'MODULE_LOAD_FAILED',
  message: expect.stringMatching(/nothing was changed.*Restart/),
  cause: expect.any(Error),
}

/** Removes the files, as a deployment does. Returns a function that restores them. */
async function removed(...modules: readonly string[]): Promise<() => Promise<void>> {
  for (const path of modules) {
    vi.doMock(path, () => {
      throw new Error('EMFILE')
    })
  }
  const back = (): Promise<void> => {
    for (const path of modules) vi.doUnmock(path)
    return settled()
  }
  onTestFinished(back)
  await settled()
  return back
}

/** Vitest applies a mock at the next import; with several concurrent imports it may revert it. */
const settled = async (): Promise<void> => {
  await import('../support/samples.js')
}

const CHECKS = '../../src/contract/check-request.js'
const ORDERS = '../../src/client/orders/place-order.js'
const VALIDATION = '../../src/client/orders/validate-order.js'
const WAIT = '../../src/client/resources/wait-for.js'
const AGENT = ['undici/lib/dispatcher/agent.js', 'undici/index.js']

async function service(): Promise<FakePathologyService> {
  const fake = await FakePathologyService.start({ port: 0, centreCount: 1 })
  onTestFinished(() => fake.close())
  return fake
}

function clientFor(fake: FakePathologyService, options = {}): PathologyClient {
  const { baseUrl, ...rest } = fake.clientOptions()
  return clientOf(baseUrl, { ...rest, ...options })
}

const ordered = () => order({ tests: ['ferritin'] })
const vendors = (client: PathologyClient): Promise<unknown> => client.vendors.list().toArray()

describe('a module that cannot be loaded on first use', () => {
  it('the code of retries is loaded at the start, so retries continue and a lost order is found without it', async () => {
    const fake = await service()
    const client = clientFor(fake)
    await client.vendors.list().firstPage()
    await removed('p-retry', 'undici/index.js', 'zod')
    fake.faults.next('GET /v1/vendors', { status: 503 })
    await vendors(client)
    fake.faults.next('POST /v1/referrals', { status: 429 })
    await client.referrals.create(ordered())
    fake.faults.next('POST /v1/referrals', { loseResponse: true })
    expect(await client.referrals.create(ordered())).toMatchObject({ recovered: true })
    fake.assertNoUnusedFaults()
  })

  it.each([
    ['checks of requests', CHECKS],
    ['code of orders', ORDERS],
  ])('nothing is sent when the %s cannot be loaded, and the same client recovers', async (_, path) => {
    const fake = await service()
    const client = clientFor(fake)
    const back = await removed(path)
    expect(await rejection(client.referrals.create(ordered()))).toMatchObject(NOT_LOADED)
    expect(await rejection(client.referrals.create(ordered(), { orderKey: 'a' }))).toMatchObject(NOT_LOADED)
    expect(fake.requests).toEqual([])
    await back()
    await client.referrals.create(ordered())
  })

  it('nothing is sent when the lookup of a lost write cannot be loaded, and the same client recovers', async () => {
    const fake = await service()
    const client = clientFor(fake)
    const [{ uuid }] = (await client.referrals.create(ordered())).referrals
    const sent = fake.requests.length
    const back = await removed('../../src/client/resources/reconcilers.js')
    expect(await rejection(client.referrals.delete(uuid))).toMatchObject(NOT_LOADED)
    expect(await rejection(client.webhooks.delete('w'))).toMatchObject(NOT_LOADED)
    expect(fake.requests).toHaveLength(sent)
    await back()
    await client.referrals.delete(uuid)
  })

  it('nothing is sent when the code of connections cannot be loaded; the client recovers, and closes', async () => {
    const fake = await service()
    const [client, idle] = [clientFor(fake), clientFor(fake)]
    const back = await removed(...AGENT)
    expect(await rejection(vendors(client))).toMatchObject(NOT_LOADED)
    const [lost] = await Promise.all([rejection(vendors(idle)), idle.close()] as const)
    expect(lost).toMatchObject(NOT_LOADED)
    expect(fake.requests).toEqual([])
    await back()
    await vendors(client)
  })

  it('the key of an order is free for another process when the code of connections cannot be loaded', async () => {
    const world = await ledgerWorld()
    const tokenStore = new Map<string, string>()
    await world.newProcess({ tokenStore }).vendors.list().firstPage()
    world.ledger.always('claim', {
      after: (found, request) => vouched(world.inner, world.name(), found, request),
    })
    const back = await removed(...AGENT)
    const create = () =>
      world.newProcess({ tokenStore }).referrals.create(labOrder(), { orderKey: KEY, since: new Date() })
    expect(await rejection(create())).toMatchObject(NOT_LOADED)
    expect(world.ledger.operations).toContain('claim')
    expect(world.posts() + world.lists()).toBe(0)
    await back()
    expect(await create()).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
  })

  it('the code of document streams is loaded at the start', async () => {
    const fake = await service()
    const client = clientFor(fake)
    const [{ uuid }] = (await client.referrals.create(ordered())).referrals
    await client.referrals.waitFor(uuid, { status: 'ISSUED' })
    await removed('undici/lib/api/api-request.js', 'undici/index.js')
    expect((await client.referrals.document(uuid).bytes()).length).toBeGreaterThan(100)
  })

  it('the client uses expires_in when the token decoder cannot be loaded', async () => {
    const fake = await service()
    await removed('jose/jwt/decode')
    await vendors(clientFor(fake))
    expect(fake.requests).toHaveLength(2)
  })

  it('nothing is sent when the code of shared tokens cannot be loaded, and the same client recovers', async () => {
    const fake = await service()
    const client = clientFor(fake, { tokenStore: new Map() })
    const back = await removed('../../src/client/auth/token-sharing.js')
    expect(await rejection(vendors(client))).toMatchObject(NOT_LOADED)
    expect(fake.requests).toEqual([])
    await back()
    await vendors(client)
  })

  it.each(['jose/jwe/compact/encrypt', 'jose/jwe/compact/decrypt', 'jose/jwk/thumbprint'])(
    'an encrypted token store recovers when %s could not be loaded',
    async (path) => {
      const store = encryptedTokenStore(new Map(), randomBytes(32))
      const back = await removed(path)
      expect(await rejection(Promise.resolve(store.set('name', 'value')))).toMatchObject(NOT_LOADED)
      await back()
      await store.set('name', 'value')
      expect(await store.get('name')).toBe('value')
    },
  )

  it.each([[CHECKS], [ORDERS], [VALIDATION], [WAIT], ['jose/jwt/decode'], AGENT])(
    'warmUp fails early when %s cannot be loaded',
    // `warmUp` loads several modules at once; see `settled`.
    { retry: 2 },
    async (...paths) => {
      const fake = await service()
      await removed(...paths)
      expect(await rejection(clientFor(fake).warmUp())).toMatchObject(NOT_LOADED)
    },
  )
})
