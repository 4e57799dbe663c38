import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { accessToken, ScriptedServer } from '../../support/scripted-server.js'
import { settled } from '../../support/settled.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { grant, REFERRAL, setUp, TOKEN } from './token-world.js'

describe('tokens are refreshed in the background before they expire', () => {
  it('a token of an hour is refreshed in its last six minutes, and calls use it meanwhile', async () => {
    const { service, clock, call, bearers } = await setUp()
    await call()
    clock.advance(3_600_000 - 400_000)
    await call()
    await settled()
    expect(service.tokenRequests).toHaveLength(1)
    clock.advance(60_000)
    await call()
    expect(bearers().at(-1)).toBe(`Bearer ${accessToken(1)}`)
    await expect.poll(() => service.tokenRequests.length).toBe(2)
    await settled()
    await call()
    expect(bearers().at(-1)).toBe(`Bearer ${accessToken(2)}`)
  })

  it('a refresh fails in the background: no unhandled rejection, a pause of three seconds, and calls continue', async () => {
    const unhandled: unknown[] = []
    const listener = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', listener)
    const { service, clock, call } = await setUp([grant(1), { status: 400, text: 'x' }])
    await call()
    clock.advance(3_400_000)
    await call()
    await expect.poll(() => service.tokenRequests.length).toBe(3)
    await settled()
    await call()
    await call()
    expect(service.tokenRequests).toHaveLength(3)
    clock.advance(3_000)
    await call()
    await expect.poll(() => service.tokenRequests.length).toBe(4)
    await settled()
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
    expect(service.calls).toHaveLength(5)
  })

  it('a token of 90 seconds is not requested again for every call', async () => {
    const { service, clock, call } = await setUp([(_, nth) => grant(nth, { expires_in: 90 })])
    for (let second = 0; second < 40; second += 1) {
      await call()
      clock.advance(1_000)
    }
    expect(service.tokenRequests).toHaveLength(1)
    for (let second = 0; second < 140; second += 1) {
      await call()
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(1_000)
    }
    expect(service.tokenRequests.length).toBeLessThanOrEqual(5)
  })

  it.each([1, 2, 10])('a token of %i seconds: at most one token request for each call', async (life) => {
    const { service, call } = await setUp([(_, nth) => grant(nth, { expires_in: life })])
    for (let nth = 0; nth < 10; nth += 1) await call()
    expect(service.tokenRequests.length).toBeLessThanOrEqual(10)
  })
})

describe('tokens: their stated lifetime', () => {
  it.each([
    ['0', 0],
    ['-1', -1],
    ['"3600 s"', '3600 s'],
    ['null (NaN)', null],
    ['nothing', undefined],
    ['true', true],
  ])('expires_in %s is rejected', async (_, value) => {
    const { service, call } = await setUp([grant(1, { expires_in: value })])
    const error = await rejection(call())
    expect(error).toMatchObject({ name: 'TokenError', code: 'TOKEN_RESPONSE_INVALID' })
    expect(String(error)).toContain('expires_in')
    expectNoCanary(error)
    expect(service.calls).toHaveLength(0)
  })

  it('expires_in 1e400 is rejected', async () => {
    const text = JSON.stringify(grant(1).json).replace('3600', '1e400')
    const { call } = await setUp([{ text }])
    expect(await rejection(call())).toMatchObject({ name: 'TokenError', code: 'TOKEN_RESPONSE_INVALID' })
  })

  it('1e12 seconds: limited to a day', async () => {
    const { service, clock, call } = await setUp([(_, nth) => grant(nth, { expires_in: 1e12 })])
    await call()
    clock.advance(20 * 3_600_000)
    await call()
    await settled()
    expect(service.tokenRequests).toHaveLength(1)
    clock.advance(5 * 3_600_000)
    await call()
    expect(service.tokenRequests).toHaveLength(2)
  })

  const jwt = (claims: Record<string, unknown>): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))

  it('an exp before the end of expires_in is used', async () => {
    const iat = Math.floor(Date.now() / 1_000)
    const early = await jwt({ iat, exp: iat + 600 })
    const { service, clock, call } = await setUp([grant(1, { access_token: early }), grant(2)])
    await call()
    clock.advance(500_000)
    await call()
    expect(service.tokenRequests).toHaveLength(1)
    clock.advance(100_000)
    await call()
    expect(service.tokenRequests.length).toBeGreaterThanOrEqual(2)
  })

  it.each([-86_400, 86_400])(
    'the local clock is %i s wrong: the time to exp is measured from iat, or from the Date of the response',
    async (offset) => {
      const now = Math.floor(Date.now() / 1_000)
      for (const claims of [{ iat: now, exp: now + 3_600 }, { exp: now + 3_600 }]) {
        const service = await ScriptedServer.start()
        service.on(TOKEN, grant(1, { access_token: await jwt(claims) })).on(REFERRAL, { json: referral() })
        const clock = new SkippingClock({ now: Date.now() + offset * 1_000 })
        const client = clientOf(service.origin, { clock })
        await client.referrals.retrieve(UUID)
        clock.advance(3_000_000)
        await client.referrals.retrieve(UUID)
        await settled()
        expect(service.tokenRequests).toHaveLength(1)
      }
    },
  )

  it.each([
    ['zero', { exp: 0 }],
    ['negative', { exp: -1 }],
    ['text', { exp: 'soon' }],
    ['null', { exp: null }],
    ['far in the future', { exp: 1e300 }],
    ['equal to iat', { iat: 1_700_000_000, exp: 1_700_000_000 }],
    ['before iat', { iat: 1_700_000_000, exp: 1_600_000_000 }],
    ['before iat, both in the future', { iat: 4_000_000_000, exp: 3_900_000_000 }],
    ['a moment after iat', { iat: 4_000_000_000, exp: 4_000_000_000.25 }],
  ])('an exp that is %s: one token request for 20 calls', async (_, claims) => {
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    const { call, service } = await setUp([grant(1, { access_token: `eyJhbGciOiJub25lIn0.${payload}.` })])
    for (let nth = 0; nth < 20; nth += 1) await expect(call()).resolves.toMatchObject({ object: 'referral' })
    expect(service.tokenRequests).toHaveLength(1)
  })
})

describe('tokens: clocks that jump', () => {
  it.each([-86_400_000, 86_400_000])(
    'the wall clock jumps by %i ms: at most one more token request',
    async (jump) => {
      const { service, clock, call } = await setUp()
      await call()
      clock.jumpWall(jump)
      for (let nth = 0; nth < 20; nth += 1) await call()
      await settled()
      expect(service.tokenRequests.length).toBeLessThanOrEqual(2)
      clock.advance(1_800_000)
      for (let nth = 0; nth < 20; nth += 1) await call()
      expect(service.tokenRequests.length).toBeLessThanOrEqual(2)
    },
  )

  it('the wall clock is set back a day: the token still expires in time', async () => {
    const { service, clock, call } = await setUp()
    await call()
    clock.jumpWall(-86_400_000)
    clock.advance(3_600_000)
    await call()
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('the machine slept (only the wall clock moved): the old token is not sent', async () => {
    const { clock, call, bearers } = await setUp()
    await call()
    clock.jumpWall(7_200_000)
    await call()
    expect(bearers()).toEqual([`Bearer ${accessToken(1)}`, `Bearer ${accessToken(2)}`])
  })
})
