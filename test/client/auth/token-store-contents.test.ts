import { describe, expect, it } from 'vitest'
import type { StoredTokens } from '../../../src/client/auth/token-renewal.js'
import { parseStoredTokens } from '../../../src/client/auth/token-store.js'

const NOW = 1_700_000_000_000

function tokens(lifeMs: number, change: Partial<StoredTokens> = {}): StoredTokens {
  return {
    accessToken: 'access-1',
    issuedAt: NOW,
    expiresAt: NOW + lifeMs,
    refreshToken: 'refresh-1',
    refreshExpiresAt: NOW + 2_592_000_000,
    ...change,
  }
}

describe('§5 tokens read from a store', () => {
  const stored = tokens(3_600_000)

  it('are equal to the stored ones, as text or parsed', () => {
    expect(parseStoredTokens(JSON.stringify(stored))).toEqual(stored)
    expect(parseStoredTokens({ ...stored })).toEqual(stored)
  })

  it('may have an expired access token, because the refresh token is still valid', () => {
    expect(parseStoredTokens(tokens(0))).toEqual(tokens(0))
  })

  it.each([
    ['a refresh token', { refreshToken: undefined, refreshExpiresAt: undefined }],
    ["the refresh token's end", { refreshExpiresAt: undefined }],
  ])('may have no %s', (_, change) => {
    expect(parseStoredTokens(JSON.stringify({ ...stored, ...change }))).toEqual({ ...stored, ...change })
  })

  it.each([
    ['refreshToken', 7],
    ['refreshToken', null],
    ['refreshExpiresAt', '2026-03-02'],
    ['refreshExpiresAt', null],
  ])('%s %j is treated as missing', (field, value) => {
    expect(parseStoredTokens({ ...stored, [field]: value })).toEqual({ ...stored, [field]: undefined })
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['no JSON', '{"accessToken":'],
    ['JSON null', 'null'],
    ['a list', []],
    ['another object', { token: 'access-1' }],
    ['an access token that no header may hold', { ...stored, accessToken: 'a\r\nx-evil: 1' }],
    ['an access token that is not text', { ...stored, accessToken: 7 }],
    ['a start that is not a number', { ...stored, issuedAt: String(NOW) }],
    ['an end that is not a number', { ...stored, expiresAt: String(NOW) }],
    ['no start', { ...stored, issuedAt: undefined }],
    ['no end', { ...stored, expiresAt: undefined }],
    ['an end before the start', tokens(-1)],
    ['a start that is not a number at all', { ...stored, issuedAt: Number.NaN }],
    ['no end ever', { ...stored, expiresAt: Number.POSITIVE_INFINITY }],
  ])('%s: not written by this package', (_, value) => {
    expect(parseStoredTokens(value)).toBeUndefined()
  })
})
