import { RECONCILE_TABLE, RETRY_TABLE } from '../../src/client/core/retry-policy.js'

/** @typedef {import('../../src/client/core/retry-policy.js').FailureKind} FailureKind */
/** @typedef {import('../../src/contract/endpoint.js').Reconciliation} Settlement */

/** @type {Readonly<Record<FailureKind, string>>} */
const FAILURES = {
  'not-sent': 'Not sent: DNS, refused, connect time-out, …',
  'rate-limited': '429',
  'request-timeout': '408',
  'server-error': '500',
  gateway: '502, 503, 504 and other 5xx',
  ambiguous:
    'Ambiguous: reset, time-out while waiting, cut, not JSON, an error envelope or no list with status 2xx',
  unusable: 'Unusable success: too large, unexpected encoding',
  redirect: 'A redirect, which is never followed',
  'done-before': 'A repeat refused because the first try was carried out',
  final: 'Anything else: 400, 403, 404, 409, TLS certificate, …',
}

/** @type {Readonly<Record<Settlement, { readonly request: string, readonly how: string }>>} */
const SETTLEMENTS = {
  order: { request: 'Placing an order', how: 'among the newest referrals, by order key' },
  update: {
    request: 'Updating a referral',
    how: 'reads the referral and compares values, status and `updatedAt`',
  },
  subscription: { request: 'Creating a webhook', how: 'among the newest webhooks, by URL and events' },
  gone: { request: 'Deleting, retiring', how: '"not found" on a repeat counts as done' },
}

const SHORT = /** @type {Readonly<Record<FailureKind, string>>} */ ({
  'not-sent': 'not sent',
  'rate-limited': '429',
  'request-timeout': '408',
  'server-error': '500',
  gateway: 'other 5xx',
  ambiguous: 'ambiguous',
  unusable: 'unusable',
  redirect: 'a redirect',
  'done-before': 'a repeat refused as done',
  final: 'final',
})

/** What may be repeated, as the client's table has it. */
export function retryTable() {
  const head =
    '| Failure | Reads, price calculation | Repeatable writes | Once-only writes |\n|---|---|---|---|'
  const rows = kinds(FAILURES).map((kind) => {
    const cells = [RETRY_TABLE.safe[kind], RETRY_TABLE.repeatable[kind], RETRY_TABLE.once[kind]]
    return `| ${FAILURES[kind]} | ${cells.map((cell) => (cell === 2 ? 'retry, at most twice' : cell)).join(' | ')} |`
  })
  return [head, ...rows].join('\n')
}

/** After which failures an outcome is looked up, and how. */
export function settleTable() {
  const head = '| Request | Looked up after | How |\n|---|---|---|'
  const rows = Object.entries(SETTLEMENTS).map(([name, { request, how }]) => {
    const after = kinds(SHORT).filter((kind) => RECONCILE_TABLE[/** @type {Settlement} */ (name)].has(kind))
    return `| ${request} | ${after.map((kind) => SHORT[kind]).join(', ')} | ${how} |`
  })
  return [head, ...rows].join('\n')
}

/** @param {Readonly<Record<FailureKind, string>>} words */
function kinds(words) {
  return /** @type {FailureKind[]} */ (Object.keys(words))
}
