import { ConnectionError, TokenError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import {
  liveTokens,
  type StoredTokens,
  TokenRenewal,
  validRefreshToken,
} from '../../../src/client/auth/token-manager.js'
import { systemClock } from '../../../src/common/clock.js'

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

const failure = (
  outcome: 'refused' | 'failed' | 'unknown' | 'not-sent',
  status?: number,
  code?: string,
): TokenError => new TokenError('failed', { outcome, attempts: 1, status, code })
const lost = (outcome: 'unknown' | 'not-sent'): ConnectionError =>
  new ConnectionError('lost', { outcome, attempts: 1, reason: 'reset' })

interface Row {
  readonly name: string
  readonly error: Error
  /** The refresh token is used again the next time. */
  readonly again: boolean
  /** The service rejected the refresh token. */
  readonly dead: boolean
}

const ROWS: readonly Row[] = [
  { name: '108', error: failure('refused', 400, '108'), again: false, dead: true },
  { name: '500 with a code', error: failure('failed', 500, '999'), again: false, dead: false },
  { name: '429', error: failure('refused', 429, '999'), again: true, dead: false },
  { name: 'an unusable response', error: failure('failed', 200), again: false, dead: false },
  { name: 'no response in time', error: failure('unknown'), again: false, dead: false },
  { name: 'no connection in time', error: failure('not-sent'), again: true, dead: false },
  { name: 'a reset', error: lost('unknown'), again: false, dead: false },
  { name: 'a refused connection', error: lost('not-sent'), again: true, dead: false },
  { name: 'anything else', error: new Error('?'), again: false, dead: false },
]

it.each(ROWS)(
  'after $name the refresh token is used again: $again, and treated as rejected: $dead (§5)',
  async ({ error, again, dead }) => {
    const used: string[] = []
    const renewal = new TokenRenewal(async (refreshToken) => {
      used.push(refreshToken ?? 'credentials')
      if (refreshToken !== undefined) throw error
      return tokens('by-credentials', undefined)
    }, systemClock)
    const nobody = async (): Promise<undefined> => void used.push('look')
    const looks = dead ? ['look'] : []
    for (const refreshToken of ['r1', 'r1', 'r2'])
      expect(await renewal.renew(tokens('old', refreshToken), nobody)).toMatchObject({
        ofOtherProcess: false,
      })
    expect(used).toEqual([
      ...['r1', ...looks, 'credentials'],
      ...(again ? ['r1', 'credentials'] : ['credentials']),
      ...['r2', ...looks, 'credentials'],
    ])
    expect(['r1', 'r2', undefined].map((each) => renewal.isRejected(each))).toEqual([false, dead, false])
  },
)

/** Tokens with this life. */
function tokensOf(lifeMs: number, change: Partial<StoredTokens> = {}): StoredTokens {
  return { ...tokens('access-1', 'refresh-1'), expiresAt: NOW + lifeMs, ...change }
}

/** Times of a token with this life. */
const timesOf = (lifeMs: number, random: number) =>
  liveTokens(tokensOf(lifeMs), { ...systemClock, now: () => NOW }, random)

it.each([
  ['an hour is fresh until its last tenth', 3_600_000, 0, 3_240_000],
  ['an hour is fresh up to a tenth of that tenth less', 3_600_000, 0.5, 3_222_000],
  ['an hour is fresh at least until then', 3_600_000, 1, 3_204_000],
  ['five minutes is fresh until the last', 300_000, 0, 240_000],
  ['a minute is fresh for half of it', 60_000, 0, 30_000],
  ['a year counts as one of a day', 365 * 86_400_000, 0, 77_760_000],
])('a token of %s (§5)', (_, lifeMs, random, dueAt) => {
  expect(timesOf(lifeMs, random).refreshAfterMs).toBe(dueAt)
})

it.each([
  ['an hour', 3_600_000, 3_599_000],
  ['a second', 1_000, 500],
  ['a year', 365 * 86_400_000, 86_399_000],
])('a token of %s is not sent any more shortly before its end', (_, lifeMs, endsAt) => {
  expect(timesOf(lifeMs, 0).unusableAfterMs).toBe(endsAt)
})

it.each([
  ['one that ends later', tokensOf(1, { refreshExpiresAt: NOW + 1 }), 'refresh-1'],
  ['one that ends now', tokensOf(1, { refreshExpiresAt: NOW }), undefined],
  ['one of which no end is known', tokensOf(1, { refreshExpiresAt: undefined }), 'refresh-1'],
  ['none', tokensOf(1, { refreshToken: undefined }), undefined],
  ['no tokens at all', undefined, undefined],
])('the valid refresh token of %s is %s', (_, stored, expected) => {
  expect(validRefreshToken(stored, NOW)).toBe(expected)
})
