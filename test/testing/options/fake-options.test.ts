import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'

import { authorised, createFake, placeOrder, record, startFake } from '../support.js'

describe('options of the fake', () => {
  it.each<[object, RegExp]>([
    [{ colour: 'red' }, /no option 'colour'/],
    [{ seed: 1.5 }, /option 'seed' must be an integer/],
    [{ environment: 'moon' }, /option 'environment' must be one of staging, production/],
    [{ errorStatuses: { NOPE: 400 } }, /option 'errorStatuses'/],
    [{ issueTiming: { afterMs: -1 } }, /option 'issueTiming'/],
    [{ startTime: 'yesterday' }, /option 'startTime' must be a time/],
    [{ startTime: 'Mar 2 2026' }, /option 'startTime' must be a time/],
    [{ startTime: '5' }, /option 'startTime' must be a time/],
    [{ startTime: 8.64e15 }, /option 'startTime' must be a time/],
    [{ retireAfterMissingWeeks: 1 }, /option 'retireAfterMissingWeeks' must be an integer/],
    [{ webhookUrl: 'http://hooks.example.com' }, /webhook url must use https/],
  ])('the options %o are rejected with a RangeError', (options, message) => {
    expect(() => createFake(options)).toThrow(message)
    expect(() => createFake(options)).toThrow(RangeError)
  })

  it.each([null, [], 5])('%j instead of options is rejected with a RangeError', (options) => {
    expect(() => Reflect.construct(FakePathologyService, [options])).toThrow(
      new RangeError('the options of the fake must be an object'),
    )
  })

  it('an option of 0 means zero, and undefined means the default', () => {
    expect(createFake({ seedReferrals: 0 }).referrals.all()).toHaveLength(0)
    expect(createFake({ seedReferrals: undefined }).referrals.all().length).toBeGreaterThan(20)
  })
})

describe('options of a running fake', () => {
  it('options of a running fake change how it responds, and undefined means the default', async () => {
    const fake = createFake({ reviewHold: true, seedReferrals: 0 })
    fake.changeOptions({
      reviewHold: undefined,
      createShape: 'object-when-one',
      errorStatuses: { INVALID_STATUS: 409 },
    })
    const { body } = await placeOrder(fake, await authorised(fake))
    const uuid = String(record(body)['uuid'])
    const { resultsUuid } = fake.referrals.complete(uuid)
    expect(fake.results.retrieve(resultsUuid ?? '').status).toBe('COMPLETE')
    fake.reset()
    expect(record((await placeOrder(fake, await authorised(fake))).body)['object']).toBe('referral')
  })

  it('an invalid value, an unknown option and an option of the start are rejected, and nothing changes', () => {
    const fake = createFake({ seedReferrals: 0 })
    expect(() => fake.changeOptions({ journalLimit: -1, reviewHold: true })).toThrow(/journalLimit/)
    expect(() => fake.changeOptions({ centreCount: 10 })).toThrow(/cannot change while the fake runs/)
    expect(() => fake.changeOptions(JSON.parse('{"colour":"red"}'))).toThrow(/no option 'colour'/)
    expect(() => fake.changeOptions(JSON.parse('{"reviewHld":true}'))).toThrow(/did you mean reviewHold\?/)
    const { uuid } = fake.results.receiveIncoming()
    expect(fake.results.retrieve(uuid).status).toBe('COMPLETE')
  })

  it('PUT /options changes them over the control API; null means the default', async () => {
    const fake = await startFake({ centreCount: 10 })
    const put = (body: object) =>
      fetch(`${fake.controlUrl}/options`, { method: 'PUT', body: JSON.stringify(body) })
    expect((await put({ extraFields: true })).status).toBe(200)
    expect((await put({ seed: 2 })).status).toBe(400)
    const options = async () =>
      record(record(await (await fetch(`${fake.controlUrl}/state`)).json())['options'])
    expect(await options()).toMatchObject({ extraFields: true, seed: 1 })
    await put({ extraFields: null })
    expect(await options()).toMatchObject({ extraFields: false })
  })
})
