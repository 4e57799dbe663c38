/** @type {readonly import('../reliability.mjs').FaultRow[]} */
export const TOKEN_ROWS = [
  {
    row: 28,
    fault: 'The token service fails, is slow, or answers with a page',
    behaviour:
      'two retries for all callers together, then `TokenError` or `ConnectionError`; the next call starts afresh',
    tests: ['test/client/token-renewal.test.ts'],
  },
  {
    row: 29,
    fault: 'Credentials refused (102, 110, 111, 123)',
    behaviour: '`TokenError`, `refused`, not retried, remembered for a second',
  },
  {
    row: 30,
    fault: 'Refresh token refused (108)',
    behaviour: 'dropped; the credentials are used; the call succeeds',
    tests: ['test/client/token-renewal.test.ts'],
  },
  {
    row: 31,
    fault: 'The token expires on the way',
    behaviour: 'replaced if still current, and the request sent once more',
    tests: ['test/client/token-store-rotation.test.ts'],
  },
  {
    row: 32,
    fault: '401 for ever',
    behaviour:
      "two sends (three where the first new token was another process's), then `AuthenticationError`",
    tests: ['test/client/token-store-rotation.test.ts'],
  },
  {
    row: 33,
    fault: 'Many calls, no token',
    behaviour: 'one token request',
    tests: ['test/client/token-store.test.ts', 'test/client/token-store-fleet.test.ts'],
  },
  { row: 34, fault: 'The first of them aborts', behaviour: 'the others get the token' },
  {
    row: 35,
    fault: 'A renewal in the background fails',
    behaviour: 'the old token serves to its end; no unhandled rejection',
  },
  {
    row: 36,
    fault: 'The clock jumps, the machine sleeps',
    behaviour: 'the earlier of two clocks counts; at most one 401',
  },
  { row: 37, fault: '`expires_in` that makes no sense', behaviour: '`TokenError`' },
  { row: 38, fault: 'A token with line breaks', behaviour: '`TokenError`, before a header is made of it' },
]
