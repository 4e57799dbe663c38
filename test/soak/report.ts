import type { SoakOptions, SoakReport } from './soak.js'

/** The report as lines of text. */
export function describeReport(
  { calls, seed, concurrency, faults }: SoakOptions,
  report: SoakReport,
): string {
  const { ledger, audit, findings } = report
  const orders = (said: string): number => ledger.orders.filter((entry) => entry.said === said).length
  const share = ((100 * audit.faults) / audit.requests).toFixed(1)
  const lines = [
    ...[...ledger.counts].sort().map(([operation, outcomes]) => `${operation.padEnd(34)} ${tally(outcomes)}`),
    '',
    `${ledger.calls} calls, ${audit.requests} requests, ${audit.faults} of them met a fault (${share} %)`,
    `orders: ${orders('done')} placed, ${orders('not done')} not placed, ${orders('unknown')} unknown; ` +
      `${audit.emails} in the service`,
    `tokens: ${audit.tokenRequests} requests, ${audit.refreshes} of them refreshes; documents: ${audit.documents} requests`,
    '',
    ...findings.flatMap(({ rule, broken }) => [
      `${broken.length === 0 ? 'ok  ' : 'FAIL'} ${rule}`,
      ...broken.slice(0, 10).map((line) => `       ${line}`),
    ]),
    '',
    `seed ${seed}: npm run soak -- --seed ${seed} --calls ${calls} --concurrency ${concurrency} --faults ${faults}`,
  ]
  return lines.join('\n')
}

function tally(outcomes: ReadonlyMap<string, number>): string {
  return [...outcomes]
    .sort(([, one], [, other]) => other - one)
    .map(([outcome, count]) => `${outcome} ${count}`)
    .join(', ')
}
