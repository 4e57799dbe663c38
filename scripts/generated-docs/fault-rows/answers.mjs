/** @type {readonly import('../reliability.mjs').FaultRow[]} */
export const ANSWER_ROWS = [
  {
    row: 16,
    fault: "A proxy's page with 502 or 503",
    behaviour:
      '`ServerError`, `code` undefined, at most 2,048 characters in `bodyExcerpt`; retried by the table',
  },
  {
    row: 17,
    fault: '200 with HTML, or with any body under `text/html`',
    behaviour: '`ResponseError` `not-json`; retried by the table, an order is looked up',
  },
  {
    row: 18,
    fault: '200 with nothing, `null`, a list for an object, an object without its list, or an error envelope',
    behaviour:
      '`ResponseError` `empty`, `shape` or `error-envelope`, in every validation mode; both shapes of the response to an order are read',
  },
  {
    row: 19,
    fault: '1xx, 204, 3xx, statuses nobody knows',
    behaviour: '1xx passed over; 2xx read; 3xx `ResponseError` `redirect`; the rest `ApiError`',
  },
  {
    row: 20,
    fault: 'An error envelope with parts missing or of other types',
    behaviour: 'still the `ApiError` of its status; never a `TypeError`',
  },
  { row: 21, fault: 'Unknown codes, statuses, fields', behaviour: 'passed on as they are, in every mode' },
  {
    row: 22,
    fault: 'A required field is missing',
    behaviour: 'reported once a place (`warn`), `ResponseError` `shape` (`strict`), nothing (`off`)',
  },
  {
    row: 23,
    fault: '429 with any `Retry-After`',
    behaviour:
      'seconds and HTTP dates followed, else the usual pause; then `RateLimitError`, `refused`. More than 60 s fails at once: nothing is sent sooner',
  },
  {
    row: 24,
    fault: 'Everything fails',
    behaviour:
      'at most 100 retries a client (50 after time-outs), token requests included, then a tenth of a retry for each success',
  },
  {
    row: 25,
    fault: 'A hint that outlasts the call',
    behaviour:
      'fails at once instead of sleeping; a call that ends before the cool-down is a `RateLimitError`, `not-sent`',
  },
  {
    row: 26,
    fault: 'The caller aborts, anywhere',
    behaviour: "rejects with the signal's reason at once; nothing is left behind; others go on",
  },
  { row: 27, fault: 'Abort after an order was answered', behaviour: 'the order is returned' },
  {
    row: 39,
    fault: 'A list that gives the same cursor again',
    behaviour: 'its records, then `ResponseError` `cursor-loop`',
  },
  {
    row: 40,
    fault: 'Pages whose counts contradict each other',
    behaviour:
      'ends by §4.7: fewer records than the applied count, or none. A full page without a cursor: `ResponseError` `incomplete-list` (`strict`, and in every lookup), reported once (`warn`), the end (`off`)',
  },
  { row: 41, fault: 'A page fails', behaviour: 'the error carries `cursor`; a new list goes on there' },
  {
    row: 42,
    fault: 'Records move between pages',
    behaviour: 'passed on as they come; with `dedupe: true` each record once',
  },
  {
    row: 43,
    fault: 'A walk is left early, or pulled at from several sides',
    behaviour: 'no page is fetched after it; turns are taken; a page under way is cancelled',
  },
  {
    row: 47,
    fault: '`__proto__` and `constructor` in JSON',
    behaviour: 'own keys, never merged: nothing is polluted',
  },
  {
    row: 48,
    fault: 'JSON without a bottom',
    behaviour: 'read at any depth within the byte limit; in a request `InvalidRequestError` beyond 32 levels',
  },
  {
    row: 49,
    fault: 'A body without an end',
    behaviour: '`ResponseError` `too-large` at 10 MiB (pages of lists 64 MiB), the socket closed',
  },
  {
    row: 50,
    fault: 'A bomb of gzip, layers of encodings',
    behaviour: 'the decoded size counts; any encoding but gzip is `ResponseError` `encoding`',
  },
  {
    row: 51,
    fault: 'Numbers out of range, half characters, a byte order mark',
    behaviour: 'caught by the contract, or passed on unchanged; a mark is `not-json`',
  },
  {
    row: 60,
    fault: 'Error bodies that nobody reads',
    behaviour: 'read or closed: a connection is never blocked',
  },
  {
    row: 70,
    fault: 'An order is carried out, its answer lost',
    behaviour: 'found again by its key: `recovered: true`; else `OrderOutcomeUnknownError` with `recover()`',
    tests: ['test/e2e/examples.test.ts'],
  },
]
