import { SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { accessToken } from '../../support/scripted-server.js'
import { settled } from '../../support/settled.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { grant, setUp } from './token-world.js'

const HOUR = 3_600_000

it('a token of an hour is refreshed in its last six minutes, and calls use it meanwhile (§5)', async () => {
  const { service, clock, call, bearers } = await setUp()
  await call()
  clock.advance(HOUR - 400_000)
  await call()
  await settled()
  expect(service.tokenRequests).toHaveLength(1)
  clock.advance(60_000)
  await call()
  await expect.poll(() => service.tokenRequests.length).toBe(2)
  await settled()
  await call()
  expect(bearers()).toEqual([1, 1, 1, 2].map((nth) => `Bearer ${accessToken(nth)}`))
})

it('a refresh that fails in the background is not tried again for three seconds, and calls continue', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', listener)
  onTestFinished(() => void process.off('unhandledRejection', listener))
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
  expect(unhandled).toEqual([])
  expect(service.calls).toHaveLength(5)
})

it('a token of 90 seconds is not requested again for every call', async () => {
  const { service, clock, call } = await setUp([(_, nth) => grant(nth, { expires_in: 90 })])
  for (let second = 0; second < 180; second += 1) {
    await call()
    await new Promise((resolve) => setImmediate(resolve))
    if (second === 40) expect(service.tokenRequests).toHaveLength(1)
    clock.advance(1_000)
  }
  expect(service.tokenRequests.length).toBeLessThanOrEqual(5)
})

it.each([1, 2, 10])('a token of %i seconds causes at most one token request a call', async (life) => {
  const { service, call } = await setUp([(_, nth) => grant(nth, { expires_in: life })])
  for (let nth = 0; nth < 10; nth += 1) await call()
  expect(service.tokenRequests.length).toBeLessThanOrEqual(10)
})

const SECONDS = Math.floor(Date.now() / 1_000)

it.each([
  ['an exp before the end of expires_in ends the token', { iat: SECONDS, exp: SECONDS + 600 }, 600],
  ['an exp in the past has no effect', { iat: SECONDS - 7_200, exp: SECONDS - 3_600 }, 3_600],
])('%s', async (_, claims, life) => {
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))
  const { service, clock, call } = await setUp([grant(1, { access_token: await token }), grant(2)])
  for (let nth = 0; nth < 5; nth += 1) await call()
  clock.advance(life * 800)
  await call()
  expect(service.tokenRequests).toHaveLength(1)
  clock.advance(life * 200)
  await call()
  expect(service.tokenRequests).toHaveLength(2)
})

it.each([-86_400_000, 86_400_000])(
  'a local clock that is %i ms wrong does not change the life of a token',
  async (offset) => {
    for (const iat of [{ iat: SECONDS }, {}]) {
      const signing = new SignJWT({ ...iat, exp: SECONDS + 3_600 }).setProtectedHeader({ alg: 'HS256' })
      const clock = new SkippingClock({ now: Date.now() + offset })
      const script = [grant(1, { access_token: await signing.sign(new Uint8Array(32)) })]
      const { service, call } = await setUp(script, { clock })
      await call()
      clock.advance(3_000_000)
      await call()
      await settled()
      expect(service.tokenRequests).toHaveLength(1)
    }
  },
)

it.each([-86_400_000, 86_400_000])(
  'a wall clock that jumps by %i ms causes at most one more token request',
  async (jump) => {
    const { service, clock, call } = await setUp()
    await call()
    clock.jumpWall(jump)
    for (let nth = 0; nth < 20; nth += 1) await call()
    await settled()
    clock.advance(1_800_000)
    for (let nth = 0; nth < 20; nth += 1) await call()
    expect(service.tokenRequests.length).toBeLessThanOrEqual(2)
  },
)

it('a token expires in time although the wall clock was set back a day', async () => {
  const { service, clock, call } = await setUp()
  await call()
  clock.jumpWall(-86_400_000)
  clock.advance(HOUR)
  await call()
  expect(service.tokenRequests).toHaveLength(2)
})

it('an expired token is not sent after the machine slept, which moves only the wall clock', async () => {
  const { clock, call, bearers } = await setUp()
  await call()
  clock.jumpWall(2 * HOUR)
  await call()
  expect(bearers()).toEqual([`Bearer ${accessToken(1)}`, `Bearer ${accessToken(2)}`])
})
