import { ConnectionError, TokenError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import type { WithResponse } from '../../../src/client/call/api-promise.js'
import { SharedSignals } from '../../../src/client/core/deadline.js'
import { isComplete, type SoughtOrder } from '../../../src/client/orders/find-order.js'
import { InFlightOrders, NOTHING_SENT } from '../../../src/client/orders/in-flight-orders.js'
import { type PlacedOrder, placedOrder } from '../../../src/client/orders/order.js'
import { resolveOptions } from '../../../src/client/resolve-options.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import { VirtualClock } from '../../support/virtual-clock.js'

const WINDOW_MS = 20_000
const REMEMBERED = 5_000

const sought = (orderKey: string | undefined): SoughtOrder => ({ order: order(), orderKey, older: new Set() })
const answered = (uuid: string): Promise<WithResponse<PlacedOrder>> =>
  Promise.resolve({ data: placedOrder(referral({ uuid }), undefined, false), response: NOTHING_SENT })
const lost = (): Promise<never> =>
  Promise.reject(new ConnectionError('lost', { outcome: 'unknown', attempts: 1, reason: 'reset' }))
const refused = (): Promise<never> =>
  Promise.reject(new TokenError('no', { outcome: 'refused', attempts: 1, status: 401 }))

function setUp() {
  const clock = new VirtualClock()
  const origin = 'http://127.0.0.1:1'
  const account = { baseUrl: origin, authUrl: origin, clientId: 'c', clientSecret: 's' }
  const options = resolveOptions({ ...account, clock, orderRecoveryTimeout: WINDOW_MS }, {})
  const inFlight = new InFlightOrders({ options, signals: new SharedSignals() })
  const note = (orderKey: string | undefined, sending: Promise<WithResponse<PlacedOrder>>) =>
    inFlight.track(sought(orderKey), sending).then(
      () => undefined,
      () => undefined,
    )
  return { clock, inFlight, note }
}

describe('§4.1 what a client remembers of the orders it sent', () => {
  it('one whose answer was lost may show for as long as the window is open', async () => {
    const { clock, inFlight, note } = setUp()
    await note('job-1', lost())
    expect(inFlight.waitMs('job-1')).toBe(WINDOW_MS)
    await clock.run(clock.sleep(WINDOW_MS - 1))
    expect(inFlight.waitMs('job-1')).toBe(1)
    await clock.run(clock.sleep(5_000))
    expect(inFlight.waitMs('job-1')).toBe(0)
    expect(inFlight.waitMs('job-2')).toBe(0)
  })

  it('what ended in any unknown way may have been placed, and what was refused was not', async () => {
    const { inFlight, note } = setUp()
    await note('aborted', Promise.reject(new DOMException('the user went away', 'AbortError')))
    await note('refused', refused())
    expect(inFlight.waitMs('aborted')).toBe(WINDOW_MS)
    expect(inFlight.waitMs('refused')).toBe(0)
  })

  it('one that was answered may show a while later, too', async () => {
    const { clock, inFlight, note } = setUp()
    await note('job-1', lost())
    await clock.run(clock.sleep(5_000))
    await note('job-1', answered('uuid-1'))
    expect(inFlight.waitMs('job-1')).toBe(WINDOW_MS)
  })

  it('memory has its bounds: the oldest goes first', async () => {
    const { inFlight, note } = setUp()
    for (let nth = 0; nth <= REMEMBERED; nth += 1) {
      await note(`job-${nth}`, lost())
      await note(undefined, answered(`uuid-${nth}`))
    }
    const known = [0, 1, REMEMBERED]
    expect(known.map((nth) => inFlight.waitMs(`job-${nth}`))).toEqual([0, WINDOW_MS, WINDOW_MS])
    expect(known.map((nth) => inFlight.knownReferrals.has(`uuid-${nth}`))).toEqual([false, true, true])
  })
})

describe('§4.1 whether what was found is the order', () => {
  const SENT_AT = Date.parse('2026-03-02T01:00:10Z')
  const at = (ms: number) => referral({ createdAt: new Date(SENT_AT + ms).toISOString() })
  const search = (orderKey: string | undefined, given = order()) => ({
    sought: { order: given, orderKey, older: new Set<string>() },
    since: () => 0,
    startedAt: () => SENT_AT,
    call: {},
    knownReferrals: new Set<string>(),
  })

  it.each([
    ['after it was sent', 60_000, true],
    ['a little before, by whole seconds', -2_000, true],
    ['before that', -2_001, false],
  ])('without a key, one made %s: %s', (_, ms, expected) => {
    expect(isComplete(search(undefined), [at(ms)])).toBe(expected)
    expect(isComplete(search('job-1'), [at(ms)])).toBe(true)
  })

  it('without a key, each of two has to be of its time, and a third is one too many', () => {
    const two = search(undefined, medicareOrder())
    expect(isComplete(two, [at(0), at(1)])).toBe(true)
    expect(isComplete(two, [at(-60_000), at(1)])).toBe(false)
    expect(isComplete(two, [at(0), at(1), at(2)])).toBe(false)
  })
})
