import { describe, expect, it } from 'vitest'
import {
  hasRefreshToken,
  LiveTokens,
  parseStoredTokens,
  type StoredTokens,
} from '../../../src/client/auth/token.js'
import type { Clock } from '../../../src/common/clock.js'

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

/** Use of a token with this life, some milliseconds after its issue. */
function stateAt(lifeMs: number, random: number, ageMs: number): string {
  let elapsed = 0
  const clock: Clock = {
    now: () => NOW + elapsed,
    monotonic: () => elapsed,
    schedule: () => ({ cancel: () => undefined }),
  }
  const live = new LiveTokens(tokens(lifeMs), clock, random)
  elapsed = ageMs
  return live.state
}

describe('§5 use of a token', () => {
  it.each([
    ["an hour's: fresh until its last tenth", 3_600_000, 0, 3_240_000],
    ["an hour's: up to a tenth of that tenth sooner", 3_600_000, 0.5, 3_222_000],
    ["an hour's: and no sooner", 3_600_000, 1, 3_204_000],
    ['five minutes: fresh until the last', 300_000, 0, 240_000],
    ['a minute: fresh for half of it', 60_000, 0, 30_000],
  ])('%s', (_, lifeMs, random, dueAt) => {
    expect(stateAt(lifeMs, random, dueAt - 1)).toBe('fresh')
    expect(stateAt(lifeMs, random, dueAt)).toBe('due')
  })

  it.each([
    ['an hour: a second', 3_600_000, 3_599_000],
    ['a second: half of it', 1_000, 500],
  ])('is not sent any more shortly before its expiry, of %s', (_, lifeMs, endsAt) => {
    expect(stateAt(lifeMs, 0, endsAt - 1)).not.toBe('unusable')
    expect(stateAt(lifeMs, 0, endsAt)).toBe('unusable')
  })
})

describe('§5 whether there is a refresh token', () => {
  it.each([
    ['one that ends later', tokens(1, { refreshExpiresAt: NOW + 1 }), true],
    ['one that ends now', tokens(1, { refreshExpiresAt: NOW }), false],
    ['one that has ended', tokens(1, { refreshExpiresAt: NOW - 1 }), false],
    ['one of which no end is known', tokens(1, { refreshExpiresAt: undefined }), true],
    ['none', tokens(1, { refreshToken: undefined }), false],
    ['no tokens at all', undefined, false],
  ])('%s: %s', (_, stored, expected) => {
    expect(hasRefreshToken(stored, NOW)).toBe(expected)
  })
})

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
