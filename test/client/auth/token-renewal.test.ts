import { ConnectionError, TokenError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import {
  LiveTokens,
  type StoredTokens,
  TokenRenewal,
  validRefreshToken,
} from '../../../src/client/auth/token-renewal.js'
import { type Clock, systemClock } from '../../../src/common/clock.js'

const NOW = Date.now()

function tokens(name: string, refreshToken: string | undefined): StoredTokens {
  return {
    accessToken: name,
    issuedAt: NOW,
    expiresAt: NOW + 3_600_000,
    refreshToken,
    refreshExpiresAt: NOW + 2_592_000_000,
  }
}

interface Row {
  readonly failure: string
  readonly error: Error
  /** The refresh token is used again the next time. */
  readonly again: boolean
  /** The service rejected the refresh token. */
  readonly dead: boolean
}

const refusal = (status: number, code: string): TokenError =>
  new TokenError('refused', { outcome: 'refused', attempts: 1, status, code })
const lost = (outcome: 'unknown' | 'not-sent'): ConnectionError =>
  new ConnectionError('lost', { outcome, attempts: 1, reason: 'reset' })

const ROWS: readonly Row[] = [
  { failure: '108', error: refusal(400, '108'), again: false, dead: true },
  { failure: '108 with 401', error: refusal(401, '108'), again: false, dead: true },
  { failure: '108 with 500', error: refusal(500, '108'), again: false, dead: true },
  {
    failure: '500 with a code',
    error: new TokenError('failed', { outcome: 'failed', attempts: 1, status: 500, code: '999' }),
    again: false,
    dead: false,
  },
  { failure: '429', error: refusal(429, '999'), again: true, dead: false },
  {
    failure: 'an unusable response',
    error: new TokenError('bad', { outcome: 'failed', attempts: 1, status: 200 }),
    again: false,
    dead: false,
  },
  {
    failure: 'no response in time',
    error: new TokenError('late', { outcome: 'unknown', attempts: 1, code: 'TIMEOUT' }),
    again: false,
    dead: false,
  },
  {
    failure: 'no connection in time',
    error: new TokenError('late', { outcome: 'not-sent', attempts: 1, code: 'TIMEOUT' }),
    again: true,
    dead: false,
  },
  { failure: 'a reset', error: lost('unknown'), again: false, dead: false },
  { failure: 'a refused connection', error: lost('not-sent'), again: true, dead: false },
  { failure: 'anything else', error: new Error('?'), again: false, dead: false },
]

describe('§5 a refresh that fails is followed by the credentials', () => {
  it.each(ROWS)(
    'after $failure the refresh token is used again: $again; treated as rejected: $dead',
    async ({ error, again, dead }) => {
      const used: string[] = []
      const renewal = new TokenRenewal(async (refreshToken) => {
        used.push(refreshToken ?? 'credentials')
        if (refreshToken !== undefined) throw error
        return tokens('by-credentials', undefined)
      }, systemClock)
      const before = tokens('old', 'r1')
      const nobody = async (): Promise<undefined> => void used.push('look')
      const looks = dead ? ['look'] : []
      expect(await renewal.renew(before, nobody)).toEqual({
        tokens: tokens('by-credentials', undefined),
        ofOtherProcess: false,
      })
      expect(renewal.isRejected('r1')).toBe(dead)
      expect(renewal.isRejected('r2')).toBe(false)
      expect(renewal.isRejected(undefined)).toBe(false)
      await renewal.renew(before, nobody)
      await renewal.renew(tokens('newer', 'r2'), nobody)
      expect(used).toEqual([
        ...['r1', ...looks, 'credentials'],
        ...(again ? ['r1', 'credentials'] : ['credentials']),
        ...['r2', ...looks, 'credentials'],
      ])
    },
  )

  it('a refresh token that another process has used: the tokens of that process are used', async () => {
    const renewal = new TokenRenewal(async (refreshToken) => {
      throw refreshToken === undefined ? new Error('it was not needed') : refusal(400, '108')
    }, systemClock)
    const found = tokens('of another', 'r2')
    await expect(renewal.renew(tokens('old', 'r1'), async () => found)).resolves.toEqual({
      tokens: found,
      ofOtherProcess: true,
    })
  })

  it('a refresh token that has expired is not sent', async () => {
    const renewal = new TokenRenewal(async (refreshToken) => {
      if (refreshToken !== undefined) throw new Error('it was tried')
      return tokens('by-credentials', undefined)
    }, systemClock)
    const expired = { ...tokens('old', 'r1'), refreshExpiresAt: NOW - 1 }
    const renewed = await renewal.renew(expired, () => Promise.reject(new Error('it was looked for')))
    expect(renewed.tokens.accessToken).toBe('by-credentials')
    expect(renewal.isRejected('r1')).toBe(false)
  })
})

/** Tokens with this life. */
function tokensOf(lifeMs: number, change: Partial<StoredTokens> = {}): StoredTokens {
  return { ...tokens('access-1', 'refresh-1'), expiresAt: NOW + lifeMs, ...change }
}

/** Use of a token with this life, some milliseconds after its issue. */
function stateAt(lifeMs: number, random: number, ageMs: number): string {
  let elapsed = 0
  const clock: Clock = {
    now: () => NOW + elapsed,
    monotonic: () => elapsed,
    schedule: () => ({ cancel: () => undefined }),
  }
  const live = new LiveTokens(tokensOf(lifeMs), clock, random)
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
    ['one that ends later', tokensOf(1, { refreshExpiresAt: NOW + 1 }), 'refresh-1'],
    ['one that ends now', tokensOf(1, { refreshExpiresAt: NOW }), undefined],
    ['one that has ended', tokensOf(1, { refreshExpiresAt: NOW - 1 }), undefined],
    ['one of which no end is known', tokensOf(1, { refreshExpiresAt: undefined }), 'refresh-1'],
    ['none', tokensOf(1, { refreshToken: undefined }), undefined],
    ['no tokens at all', undefined, undefined],
  ])('%s: %s', (_, stored, expected) => {
    expect(validRefreshToken(stored, NOW)).toBe(expected)
  })
})
