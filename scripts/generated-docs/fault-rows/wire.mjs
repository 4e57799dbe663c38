/** @type {readonly import('../reliability.mjs').FaultRow[]} */
export const WIRE_ROWS = [
  {
    row: 1,
    fault: 'Host name cannot be resolved',
    behaviour: 'retried for every request; `ConnectionError` `dns`, `not-sent`',
  },
  {
    row: 2,
    fault: 'Connection refused',
    behaviour: 'retried for every request; `ConnectionError` `refused`, `not-sent`',
  },
  {
    row: 3,
    fault: 'Connecting takes too long',
    behaviour: 'retried for every request; `ConnectionError` `connect-timeout` or `TimeoutError`, `not-sent`',
  },
  {
    row: 4,
    fault: 'Reset or close before the answer',
    behaviour:
      'reads and repeatable writes retried, else `ConnectionError` `reset` or `closed`; an order is looked up',
  },
  {
    row: 5,
    fault: 'A kept-alive connection closes as it is used again',
    behaviour: 'as row 4: the service may have read the request',
  },
  {
    row: 6,
    fault: 'No free connection, or no turn under `maxConcurrency`',
    behaviour: '`TimeoutError`, `not-sent`, which says what it waited for; who gives up leaves the queue',
  },
  {
    row: 7,
    fault: 'No answer',
    behaviour: 'the call ends at its time limit (an order after 120 s) and is treated as row 4',
  },
  { row: 8, fault: 'The body stalls or drips', behaviour: 'the time limit covers the body: as row 7' },
  { row: 9, fault: 'A body shorter than announced', behaviour: '`ResponseError` `truncated`; as row 4' },
  {
    row: 10,
    fault: 'Half a JSON text without a length',
    behaviour: '`ResponseError` `not-json` after retries; an order is looked up',
  },
  { row: 11, fault: 'What is no HTTP', behaviour: '`ConnectionError` `protocol`; as row 4' },
  {
    row: 12,
    fault: 'Head too large, contradicting lengths',
    behaviour: '`ConnectionError` `protocol`; as row 4',
  },
  {
    row: 13,
    fault: 'Certificate self-signed, expired, for another host',
    behaviour: '`ConnectionError` `tls`, `not-sent`, never retried',
  },
  {
    row: 14,
    fault: 'Old TLS, or plain HTTP on the TLS port',
    behaviour: '`ConnectionError` `tls`, `not-sent`, never retried',
  },
  {
    row: 15,
    fault: 'A base URL of plain http',
    behaviour: '`ConfigurationError` from the constructor; loopback addresses are allowed',
    tests: ['test/client/options.test.ts'],
  },
  {
    row: 71,
    fault:
      'Code that is loaded late and cannot be: a deployment replaced `node_modules` under the process, or file descriptors have run out',
    behaviour:
      '`ConfigurationError` `CODE_NOT_LOADED`, nothing sent; what retries and looks for lost orders is at hand from the start; without what reads tokens, `expires_in` serves. Node remembers many of these failures for good: restart. After `warmUp()` nothing is loaded any more',
  },
]
