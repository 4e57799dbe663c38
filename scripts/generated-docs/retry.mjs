import { RECONCILE_TABLE, RETRY_TABLE } from '../../src/client/core/retry-policy.js'

/** @typedef {import('../../src/client/core/retry-policy.js').FailureKind} FailureKind */
/** @typedef {import('../../src/contract/endpoint.js').Reconciliation} Reconciliation */

/** @typedef {Exclude<FailureKind, 'token-rejected' | 'held-back'>} ShownKind Kinds that the tables decide about. */

/** @type {Readonly<Record<ShownKind, string>>} */
const FAILURES = {
  'not-sent': 'Not sent: DNS error, connection refused, connection timeout, …',
  'rate-limited': '429',
  'request-timeout': '408',
  'server-error': '500',
  gateway: '502, 503, 504 and other 5xx',
  ambiguous:
    'Ambiguous: connection reset, timeout while waiting for the response, a truncated response, a response that is not JSON, status 2xx with an error envelope or without the expected data',
  unusable:
    'Unusable: a response that is too large or has an unexpected encoding, or a response with status 2xx that contradicts the order',
  redirect: 'A redirect, which is never followed',
  'done-before': 'The service rejects a retry because an earlier attempt was carried out',
  final: 'Any other failure: 400, 403, 404, 409, TLS certificate, …',
}

/** @type {Readonly<Record<Reconciliation, { readonly request: string, readonly how: string }>>} */
const RECONCILIATIONS = {
  order: {
    request: 'Placing an order',
    how: 'searches the newest referrals for the order key; without a key, for reference number, patient and tests',
  },
  update: {
    request: 'Updating a referral',
    how: 'reads the referral and compares values, status and `updatedAt`',
  },
  subscription: {
    request: 'Creating a webhook',
    how: 'searches the newest webhooks for the URL, the events and `active`',
  },
  gone: {
    request: 'Deleting, retiring',
    how: '"not found" on a retry counts as success. A deleted referral must also be readable, with `deletedAt`',
  },
}

const SHORT = /** @type {Readonly<Record<ShownKind, string>>} */ ({
  'not-sent': 'not sent',
  'rate-limited': '429',
  'request-timeout': '408',
  'server-error': '500',
  gateway: 'other 5xx',
  ambiguous: 'ambiguous',
  unusable: 'unusable',
  redirect: 'a redirect',
  'done-before': 'a rejected retry',
  final: 'final',
})

/** Words for a maximum number of retries. */
const RETRIES = new Map([
  [0, 'throw'],
  [2, 'retry, at most twice'],
  [Number.POSITIVE_INFINITY, 'retry'],
])

/** Returns the table of retries, from the table that the client uses. */
export function retryTable() {
  const head =
    '| Failure | Reads, price calculation | Repeatable writes | Once-only writes |\n|---|---|---|---|'
  const rows = kinds(FAILURES).map((kind) => {
    const cells = [RETRY_TABLE.safe[kind], RETRY_TABLE.repeatable[kind], RETRY_TABLE.once[kind]]
    return `| ${FAILURES[kind]} | ${cells.map((most) => RETRIES.get(most ?? 0)).join(' | ')} |`
  })
  return [head, ...rows].join('\n')
}

/** Returns the table of lookups: the failures that cause a lookup, and how the lookup works. */
export function reconcileTable() {
  const head = '| Request | Looked up after | How |\n|---|---|---|'
  const rows = Object.entries(RECONCILIATIONS).map(([name, { request, how }]) => {
    const after = kinds(SHORT).filter((kind) =>
      RECONCILE_TABLE[/** @type {Reconciliation} */ (name)].has(kind),
    )
    return `| ${request} | ${after.map((kind) => SHORT[kind]).join(', ')} | ${how} |`
  })
  return [head, ...rows].join('\n')
}

/** @param {Readonly<Record<ShownKind, string>>} words */
function kinds(words) {
  return /** @type {ShownKind[]} */ (Object.keys(words))
}
