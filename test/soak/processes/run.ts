import { bundle } from '../../support/bundle.js'
import { Dice } from '../dice.js'
import type { Finding } from '../verdict.js'
import { type LedgerKind, POINTS } from './protocol.js'
import { runStage, type StageReport, startServer } from './stage.js'
import { judgeStage } from './verdict.js'

const PROGRAM = new URL('member.ts', import.meta.url)

export interface ProcessesOptions {
  readonly processes: number
  readonly orders: number
  readonly seed: number
  /** Without the parts that take more than a minute. */
  readonly isShort: boolean
}

/** Orders of one ledger, and whether the clients send an order again. */
interface Part {
  readonly kind: LedgerKind
  readonly mayResend: boolean
}

const LEDGERS = ['postgres', 'redis'] as const

/** Places orders through several processes, and prints their outcomes. Returns the exit code. */
export async function soakProcesses(
  { processes, orders, seed, isShort }: ProcessesOptions,
  print: (line: string) => void,
): Promise<number> {
  const dice = new Dice(seed)
  const { pathOf, remove } = await bundle(PROGRAM)
  try {
    const program = pathOf(PROGRAM)
    const runPart = async ({ kind, mayResend }: Part): Promise<StageReport | undefined> => {
      await using server = await startServer(kind)
      if (server === undefined) return undefined
      const startedAt = performance.now()
      const stage = await runStage(
        {
          ...{ kind, mayResend, processes, program, dice: dice.fork() },
          orders: Math.ceil(orders / (isShort ? 2 : 4)),
          mayStop: !isShort,
          mostVisits: isShort ? 4 : 12,
          slowestMs: isShort ? 1_000 : 5_000,
          // Longer than the interval between renewals.
          ...(isShort && { longestLeaseMs: 6_000 }),
        },
        server,
      )
      const seconds = (performance.now() - startedAt) / 1_000
      print(describe({ kind, mayResend, processes, seconds }, stage))
      return stage
    }
    const stages: (StageReport | undefined)[] = []
    const without = LEDGERS.map((kind) => ({ kind, mayResend: false }))
    if (isShort) stages.push(...(await Promise.all(without.map(runPart))))
    else
      for (const part of [...without, ...LEDGERS.map((kind) => ({ kind, mayResend: true }))])
        stages.push(await runPart(part))
    return conclude(
      stages.filter((stage) => stage !== undefined),
      isShort,
      print,
    )
  } finally {
    await remove()
  }
}

function describe(
  stage: {
    readonly kind: LedgerKind
    readonly mayResend: boolean
    readonly processes: number
    readonly seconds: number
  },
  { keys, reports, settled, interruptions, ledgerFaults }: StageReport,
): string {
  const said = new Map<string, number>()
  for (const report of reports) {
    const name = report.said === 'placed' && report.isRecovered ? 'placed before' : report.said
    said.set(name, (said.get(name) ?? 0) + 1)
  }
  return [
    `${stage.kind}, ${stage.processes} processes, ${stage.mayResend ? 'with' : 'without'} resendAfter: ${keys.length} orders in ${stage.seconds.toFixed(0)} s`,
    `  calls: ${tally(said)}`,
    `  processes: ${tally(interruptions)}`,
    `  ledger: ${tally(ledgerFaults)}`,
    ...(stage.mayResend ? [] : [`  unknown, and settled by resolve: ${settled.size}`]),
  ].join('\n')
}

function conclude(stages: readonly StageReport[], isShort: boolean, print: (line: string) => void): number {
  const findings = new Map<string, string[]>()
  for (const stage of stages)
    for (const { rule, broken } of [...judgeStage(stage), ...(isShort ? [] : unvisited(stages))])
      findings.set(rule, [...new Set([...(findings.get(rule) ?? []), ...broken])])
  if (stages.length === 0) print('skipped: neither Postgres nor Redis can run here')
  for (const [rule, broken] of findings) {
    print(`${rule}: ${broken.length}`)
    for (const line of broken.slice(0, 10)) print(`  ${line}`)
  }
  return [...findings.values()].every((broken) => broken.length === 0) ? 0 : 1
}

/** A point at which no process was killed proves nothing. */
function unvisited(stages: readonly StageReport[]): readonly Finding[] {
  const names = new Set(stages.flatMap(({ interruptions }) => [...interruptions.keys()]))
  return [{ rule: 'points without a kill', broken: POINTS.filter((point) => !names.has(`kill ${point}`)) }]
}

function tally(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none'
}
