/**
 * What is mutated together, and the tests that are to notice. A mutant is tried against those of these tests that reach
 * it; files of tests that start processes are left out.
 *
 * @type {Readonly<Record<string, { readonly mutate: readonly string[], readonly tests: readonly string[] }>>}
 */
export const MUTATION_GROUPS = {
  retries: {
    mutate: [
      'client/core/retry-policy.ts',
      'client/core/backoff.ts',
      'client/core/retry-budget.ts',
      'client/core/retry.ts',
      'client/core/rate-limit-pause.ts',
    ],
    tests: ['client/{retry,backoff,attempts}*.test.ts', 'faults/rate-limits*.test.ts'],
  },
  calls: {
    mutate: [
      'client/call/run.ts',
      'client/core/retry.ts',
      'client/call/reconcile.ts',
      'client/call/api-promise.ts',
      'client/core/timers.ts',
      'client/core/deadline.ts',
      'client/core/semaphore.ts',
      'client/transport/body.ts',
    ],
    tests: [
      'client/{api-promise,attempts,calls-to-their-end,client-clock,outcomes,settlements,tokens-refused}.test.ts',
      'faults/{abort,answers,closed,closing,rate-limits-shared,sent-or-not,too-much}.test.ts',
      'leaks/{diagnostics,signals}.test.ts',
    ],
  },
  tokens: {
    mutate: [
      'client/auth/token-manager.ts',
      'client/auth/token.ts',
      'client/auth/token-response.ts',
      'client/auth/token-renewal.ts',
    ],
    tests: ['client/{tokens,token-re,token-store-rotation}*.test.ts'],
  },
  sharing: {
    mutate: ['client/auth/token-sharing.ts', 'client/auth/token-turns.ts', 'client/auth/token-lease.ts'],
    tests: ['client/token-{sharing,turns,store,store-faults,store-lease,store-lock,store-rotation}.test.ts'],
  },
  lists: {
    mutate: [
      'client/pagination/cursor-iterator.ts',
      'client/pagination/cursor-guard.ts',
      'client/pagination/page-sequence.ts',
      'client/orders/find-referrals.ts',
      'client/pagination/skip-duplicates.ts',
      'client/call/unwrap.ts',
    ],
    tests: [
      'properties/*cursor*.test.ts',
      'client/{unwrap,list-dedupe,progress,mistakes,waiting}*.test.ts',
      'faults/{abort,list-pages}.test.ts',
      'leaks/signals.test.ts',
    ],
  },
  orders: {
    mutate: [
      'client/orders/order.ts',
      'client/orders/place-order.ts',
      'client/orders/recover-order.ts',
      'client/orders/find-order.ts',
      'client/orders/order-window.ts',
      'client/orders/same-order.ts',
      'client/orders/order-desk.ts',
      'client/resources/reconcilers.ts',
      'client/core/server-clock.ts',
      'client/core/since.ts',
    ],
    tests: [
      'client/{orders,settlements,service-clock,outcomes}*.test.ts',
      'faults/redirects.test.ts',
      'leaks/signals.test.ts',
    ],
  },
  webhooks: {
    mutate: [
      'webhooks/verify.ts',
      'webhooks/hmac.ts',
      'webhooks/envelope.ts',
      'webhooks/signature-header.ts',
      'webhooks/headers.ts',
    ],
    tests: ['webhooks/{verify,headers,parse,refusals,sign}*.test.ts', 'properties/webhook*.test.ts'],
  },
}

/** The group that this run is about. */
export function groupOfRun() {
  const name = process.env['MUTATION_GROUP'] ?? ''
  const group = Object.hasOwn(MUTATION_GROUPS, name) ? MUTATION_GROUPS[name] : undefined
  if (group === undefined)
    throw new RangeError(`MUTATION_GROUP must be one of ${Object.keys(MUTATION_GROUPS).join(', ')}`)
  return { name, ...group }
}
