/**
 * What is mutated together, and the tests that are to notice. A mutant is tried against those of these tests that reach
 * it; files of tests that start processes are left out.
 *
 * @type {Readonly<Record<string, { readonly mutate: readonly string[], readonly tests: readonly string[] }>>}
 */
export const MUTATION_GROUPS = {
  retries: {
    mutate: ['client/retry.ts', 'client/backoff.ts', 'client/retry-budget.ts', 'client/attempts.ts'],
    tests: ['client/retry*.test.ts', 'client/backoff*.test.ts', 'faults/rate-limits*.test.ts'],
  },
  tokens: {
    mutate: [
      'client/tokens.ts',
      'client/token-record.ts',
      'client/token-response.ts',
      'client/token-renewal.ts',
    ],
    tests: ['client/tokens*.test.ts', 'client/token-re*.test.ts', 'client/token-store-rotation*.test.ts'],
  },
  sharing: {
    mutate: ['client/token-sharing.ts', 'client/token-turns.ts', 'client/token-lease.ts'],
    tests: ['client/token-store{,-faults,-lease,-lock,-rotation}.test.ts', 'client/token-sharing*.test.ts'],
  },
  lists: {
    mutate: ['client/cursor-iterator.ts', 'client/cursor-guard.ts', 'client/unwrap.ts'],
    tests: [
      'properties/*cursor*.test.ts',
      'client/lists*.test.ts',
      'client/unwrap*.test.ts',
      'client/orders*.test.ts',
      'faults/answers*.test.ts',
      'leaks/signals.test.ts',
    ],
  },
  orders: {
    mutate: [
      'client/order.ts',
      'client/order-placing.ts',
      'client/order-recovery.ts',
      'client/settlements.ts',
      'client/service-clock.ts',
    ],
    tests: ['client/order*.test.ts', 'client/settlements*.test.ts', 'client/outcomes*.test.ts'],
  },
  webhooks: {
    mutate: [
      'webhooks/verify.ts',
      'webhooks/hmac.ts',
      'webhooks/envelope.ts',
      'webhooks/signature-header.ts',
      'webhooks/headers.ts',
    ],
    tests: ['webhooks/{verify,headers,refusals,sign}*.test.ts', 'properties/webhook*.test.ts'],
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
