import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clientOf, fetchOf, rejection } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { API, watched } from './request-world.js'

it('a search, an id or a cursor of any characters is sent unchanged, and adds no parameter (property)', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => value.trim() !== '')
  await fc.assert(
    fc.asyncProperty(text, text, text, async (search, vendor, cursor) => {
      const { client, asked } = watched()
      await client.centres.list({ search, vendors: [`v${vendor.replaceAll(',', '')}`], cursor }).firstPage()
      const query = asked[0]?.url.searchParams
      expect(new Set(query?.keys())).toEqual(
        new Set(['search', 'vendors', 'cursor'].filter((key) => query?.has(key))),
      )
      expect(query?.get('search')).toBe(search)
      expect(query?.get('cursor')).toBe(cursor)
    }),
    { numRuns: 80 },
  )
})

it.each([
  ['lat', { lat: Number.NaN, lng: 1 }],
  ['lat', { lat: Number.POSITIVE_INFINITY, lng: 1 }],
  ['lng', { lat: 1, lng: '1&count=1' }],
  ['count', { count: 0 }],
  ['count', { count: -1 }],
  ['count', { count: 1.5 }],
  ['count', { count: Number.NaN }],
  ['count', { count: '20' }],
  ['changedSince', { changedSince: new Date(Number.NaN) }],
  ['changedSince', { changedSince: 'yesterday' }],
  ['search', { search: 'x\ud800' }],
  ['vendors[0]', { vendors: ['\udfff'] }],
  ['cursor', { cursor: '\ud800x' }],
  ['vendors[0]', { vendors: ['a,b'] }],
  ['states[0]', { states: ['TAS&count=1'] }],
  ['postcodes[0]', { postcodes: ['0810&x'] }],
  ['uuids[0]', { uuids: ['..'] }],
  ['postcode', { postcode: '0810' }],
  ['search', { search: 'x'.repeat(101) }],
  ['radiusKm', { radiusKm: 5 }],
])('the query of a list rejects the parameter %s of %j, and the error names it', async (field, filters) => {
  const { client, asked } = watched()
  const error = await rejection(client.centres.list(filters as never).firstPage())
  expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PARAMETER' })
  expect((error as { issues: { field?: string }[] }).issues.map((issue) => issue.field)).toContain(field)
  expect(asked).toEqual([])
})

it('headers of the caller are sent unchanged (property)', async () => {
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  })
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      const { client, asked } = watched()
      await client.referrals.retrieve(UUID, { headers: { 'x-trace': text } })
      expect(new Headers(asked[0]?.init.headers).get('x-trace')).toBe(text.trim())
    }),
    { numRuns: 50 },
  )
})

it('cursors and ids that look like URLs are values, and the access token is sent nowhere else', async () => {
  const evil = 'https://evil.example/v1/referrals?x='
  const seen: string[] = []
  const fetch = fetchOf(({ origin, searchParams }) => {
    seen.push(origin)
    const referrals = [{ uuid: evil, url: evil, next: evil }]
    return searchParams.has('cursor')
      ? { referrals }
      : { referrals, cursor: { cursor: evil, count: 1, resultCount: 1 } }
  })
  await clientOf(API, { fetch, responseValidation: 'off' }).referrals.list().toArray()
  expect(seen).toEqual(['https://api.clinic.example', 'https://api.clinic.example'])
})
