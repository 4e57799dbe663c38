import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { orderOverApi, record, startFake } from '../support.js'

/** Records and faults of a fake. */
function dataOf(fake: FakePathologyService): unknown {
  const { orders, webhooks, faults } = fake.snapshot().state
  return structuredClone({ orders, webhooks, faults })
}

describe('the control API rejects invalid input, names the field and its rule, and changes nothing', () => {
  it.each<[string, string, unknown, RegExp]>([
    [
      'POST',
      '/referrals/{uuid}/complete',
      { values: { ferritin: 41 } },
      /^values: ferritin must be a string, such as '5\.4'$/,
    ],
    [
      'POST',
      '/referrals/{uuid}/partial-results',
      { values: { ferritin: null } },
      /^values: ferritin must be/,
    ],
    ['POST', '/referrals/{uuid}/complete', { values: '41' }, /^values must be an object/],
    ['POST', '/referrals/{uuid}/complete', { values: null }, /^values must be an object/],
    ['POST', '/results/{result}/amend', { values: { ferritin: 41 } }, /^values: ferritin must be/],
  ])('%s %s with %j', async (method, path, body, message) => {
    const fake = await startFake({ seedReferrals: 0, centreCount: 0 })
    const uuid = await orderOverApi(fake, { tests: ['ferritin'] })
    const other = fake.results.receiveIncoming({ tests: ['ferritin'] }).uuid
    const before = dataOf(fake)
    const url = `${fake.controlUrl}${path.replace('{uuid}', uuid).replace('{result}', other)}`
    const response = await fetch(url, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    expect(record(await response.json())).toEqual({ error: true, message: expect.stringMatching(message) })
    expect(response.status).toBe(400)
    expect(dataOf(fake)).toEqual(before)
  })
})
