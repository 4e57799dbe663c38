import fc from 'fast-check'
import type { FetchLike, RequestOptions } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { API, watched } from './request-world.js'

describe('query values cannot change the rest of the query', () => {
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
      { numRuns: 200 },
    )
  })

  it('text that is not valid Unicode is rejected, and the error names the parameter and is not a URIError', async () => {
    const { client, asked } = watched()
    for (const filters of [{ search: 'x\ud800' }, { vendors: ['\udfff'] }, { cursor: '\ud800x' }]) {
      const error = await rejection(client.centres.list(filters).firstPage())
      expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PARAMETER' })
      expect(error).toHaveProperty(
        ['issues', 0, 'field'],
        expect.stringContaining(Object.keys(filters)[0] ?? '-'),
      )
    }
    expect(asked).toEqual([])
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
    ['states[0]', { states: ['TAS&count=1'] }],
    ['postcodes[0]', { postcodes: ['0810&x'] }],
    ['uuids[0]', { uuids: ['..'] }],
    ['postcode', { postcode: '0810' }],
    ['search', { search: 'x'.repeat(101) }],
    ['radiusKm', { radiusKm: 5 }],
  ])('%s of %j is rejected, and the error names it', async (field, filters) => {
    const { client, asked } = watched()
    const error = await rejection(client.centres.list(filters as never).firstPage())
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PARAMETER' })
    expect((error as { issues: { field?: string }[] }).issues.map((issue) => issue.field)).toContain(field)
    expect(asked).toEqual([])
  })

  it('a list entry with a comma, which the service would read as two entries, is rejected', async () => {
    const { client, asked } = watched()
    const error = await rejection(client.centres.list({ vendors: ['a,b'] }).firstPage())
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'vendors[0]' }] })
    expect(asked).toEqual([])
  })
})

describe('headers', () => {
  const call = (headers: unknown) => {
    const { client, asked } = watched()
    const options = { headers } as RequestOptions
    return { asked, error: () => rejection(client.referrals.retrieve(UUID, options)) }
  }

  it.each([
    ['authorization', 'Bearer x'],
    ['Authorization', 'Bearer x'],
    ['ACCEPT', 'text/html'],
    ['accept-encoding', 'br'],
    ['Content-Type', 'text/plain'],
    ['content-length', '0'],
    ['Host', 'evil.example'],
    ['transfer-encoding', 'chunked'],
    ['connection', 'upgrade'],
    ['user-agent', 'x'],
    ['proxy-authorization', 'x'],
    ['content-encoding', 'gzip'],
    ['x y', 'z'],
    ['', 'z'],
    ['x\r\ny', 'z'],
    ['x:y', 'z'],
    ['x-ok', 'a\r\nx-evil: 1'],
    ['x-ok', 'a\nb'],
    ['x-ok', 'a\0b'],
    ['x-ok', 'é'],
    ['x-ok', 7],
    ['x-ok', undefined],
    ['x-ok', ['a', 'b']],
  ])('%j: %j is rejected', async (name, value) => {
    const { asked, error } = call({ [name]: value })
    expect(await error()).toMatchObject({ name: 'ConfigurationError' })
    expect(asked).toEqual([])
  })

  it('other headers are sent unchanged (property)', async () => {
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

  it.each(['1.1', '1.1.0\r\nx: y', 'latest', '', 1.1, null])(
    'apiVersion %j of a call is rejected',
    async (apiVersion) => {
      const { client, asked } = watched()
      const error = await rejection(client.referrals.retrieve(UUID, { apiVersion: apiVersion as '1.1.0' }))
      expect(error).toMatchObject({ name: 'ConfigurationError' })
      expect(asked).toEqual([])
    },
  )
})

describe('every URL is built from the base URL', () => {
  it('cursors and ids that look like URLs are values, and the access token is sent nowhere else', async () => {
    const evil = 'https://evil.example/v1/referrals?x='
    const seen: string[] = []
    const fetch: FetchLike = async (input) => {
      seen.push(new URL(input).origin)
      if (input.endsWith('/oauth/token')) {
        return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600, token_url: evil })
      }
      const cursor = { cursor: evil, count: 1, resultCount: 1 }
      const first = !input.includes('cursor=')
      return Response.json({
        referrals: [{ uuid: evil, url: evil, next: evil }],
        ...(first ? { cursor } : {}),
      })
    }
    const client = clientOf(API, { fetch, responseValidation: 'off' })
    await client.referrals.list().toArray()
    expect(new Set(seen)).toEqual(new Set(['https://api.clinic.example']))
    expect(seen).toHaveLength(3)
  })
})
