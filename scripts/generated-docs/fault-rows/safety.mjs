/** @type {readonly import('../reliability.mjs').FaultRow[]} */
export const SAFETY_ROWS = [
  {
    row: 44,
    fault: '`../`, `%2e`, `?`, `#`, nothing, for an id',
    behaviour: '`InvalidRequestError`, nothing sent',
  },
  {
    row: 45,
    fault: 'Line breaks in headers, version, application name',
    behaviour: '`ConfigurationError`, nothing sent',
  },
  {
    row: 46,
    fault: 'Characters with a meaning in queries; `NaN`, invalid dates',
    behaviour: 'encoded, or `InvalidRequestError`',
  },
  {
    row: 52,
    fault: 'A redirect to another origin',
    behaviour: '`ResponseError` `redirect`; the other origin sees nothing; an order is looked up',
  },
  {
    row: 53,
    fault: 'A redirect of the token request',
    behaviour: '`TokenError`; the secret goes nowhere else',
  },
  {
    row: 54,
    fault: 'Cursors and URLs that point elsewhere',
    behaviour: 'requests are made from the base URL alone',
  },
  {
    row: 55,
    fault: 'The address of a PDF',
    behaviour: 'https, not private, no token, no redirect; renewed once after 400, 401, 403, 404 or 410',
  },
  {
    row: 56,
    fault: 'Secrets and patients in errors, logs, events',
    behaviour: 'none: canaries are searched for in everything that is printed',
    tests: ['test/leaks/errors.test.ts', 'test/leaks/sinks.test.ts', 'test/leaks/process-output.test.ts'],
  },
  {
    row: 57,
    fault: "undici's diagnostics carry the token",
    behaviour: 'documented in SECURITY.md; the own channel carries nothing of it',
    tests: ['test/leaks/diagnostics.test.ts'],
  },
  {
    row: 58,
    fault: 'A logger or listener that throws',
    behaviour: 'the call goes on',
    tests: ['test/leaks/diagnostics.test.ts'],
  },
  {
    row: 59,
    fault: 'Proxies that are dead or want a password',
    behaviour: '`ConnectionError`, `not-sent`, without the password',
  },
]
