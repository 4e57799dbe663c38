import fc from 'fast-check'
import type { ManagedOrderLedger } from 'pathology-sdk'
import { entryOf, REFERRALS } from './order-ledger-sequences.js'

/** A statement of one of four claims, or a wait until all leases have ended. */
export type LedgerStep = readonly [
  step:
    | 'claim'
    | 'mark'
    | 'unmark'
    | 'renew'
    | 'placed'
    | 'not-placed'
    | 'unknown'
    | 'resolve'
    | 'deny'
    | 'wait',
  claim: number,
  mark: number,
]

/** Length of a lease in milliseconds. A wait takes one millisecond more, so that it ends every lease. */
const LEASE_MS = 1_000

/** Generates the statements of four claims in any order, including repeated and late statements. */
export const ledgerSteps = fc.array(
  fc.tuple(
    fc.constantFrom<LedgerStep[0]>(
      ...(['claim', 'claim', 'mark', 'mark', 'unmark', 'renew', 'wait', 'wait'] as const),
      ...(['placed', 'not-placed', 'unknown', 'resolve', 'deny'] as const),
    ),
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: 0, max: 2 }),
  ),
  { maxLength: 25 },
)

/** The simplest implementation of one entry by the rules of `OrderLedger`. */
class Model {
  exists = false
  holder: number | undefined
  isEnded = true
  leaseEndsAt = 0
  marks: { by: number; id: string }[] = []
  senders = new Set<number>()
  placed: string[] | undefined
  now = 0

  run([step, claim, mark]: LedgerStep): unknown {
    const id = `${claim}.${mark}`
    const holds = this.exists && !this.placed && this.holder === claim && !this.isEnded
    if (step === 'wait') {
      this.now += LEASE_MS + 1
      return undefined
    }
    if (step === 'claim') return this.#claim(claim)
    if (!this.exists) return false
    if (step === 'resolve') {
      this.placed = [...new Set([...(this.placed ?? []), REFERRALS.x])]
      this.isEnded = true
      return true
    }
    if (step === 'deny') {
      if (this.placed) return false
      this.marks = []
      this.isEnded = true
      return true
    }
    if (step === 'placed') {
      if (this.holder !== claim && !this.senders.has(claim)) return false
      this.placed ??= [`claim${claim}`]
      this.isEnded = true
      return true
    }
    const hasMarked = this.senders.has(claim) && !this.placed
    if (step === 'not-placed' || step === 'unknown') {
      const isLast = this.holder === claim && !this.placed
      if (!isLast && !(step === 'not-placed' && hasMarked)) return false
      if (step === 'not-placed') {
        this.marks = this.marks.filter(({ by }) => by !== claim)
        this.senders.delete(claim)
      }
      if (isLast) this.isEnded = true
      return true
    }
    if (step === 'unmark') {
      if (!holds && !hasMarked) return false
      this.marks = this.marks.filter((each) => each.id !== id)
      return true
    }
    if (!holds) return false
    if (step === 'mark') {
      if (!this.marks.some((each) => each.id === id)) this.marks.push({ by: claim, id })
      this.senders.add(claim)
    }
    this.leaseEndsAt = this.now + LEASE_MS
    return true
  }

  #claim(claim: number): string {
    const state = (): string => (this.marks.some(({ by }) => by !== claim) ? 'sent' : 'new')
    if (this.placed) return 'placed'
    if (this.exists && this.holder === claim && this.isEnded) return state()
    if (this.exists && this.holder !== claim && !this.isEnded && this.leaseEndsAt > this.now) return 'busy'
    this.exists = true
    this.holder = claim
    this.isEnded = false
    this.leaseEndsAt = this.now + LEASE_MS
    return state()
  }
}

/** The statement of a step. */
function callOf([step, claim, mark]: LedgerStep): string {
  const who = `claim${claim}`
  if (step === 'resolve') return 'resolve x'
  if (step === 'deny') return 'resolve not-placed'
  if (step === 'mark' || step === 'unmark') return `${who} ${step} ${claim}.${mark}`
  if (step === 'claim' || step === 'renew') return `${who} ${step}`
  return `${who} record ${step === 'placed' ? who : step}`
}

/** Runs the steps on a new entry of a ledger and on the model. Returns the results of both. */
export async function compareWithModel(
  ledger: ManagedOrderLedger,
  steps: readonly LedgerStep[],
  advance: (ms: number) => Promise<void> | void,
): Promise<{ readonly ledger: unknown[]; readonly model: unknown[] }> {
  const model = new Model()
  const run = entryOf(ledger)
  const results = { ledger: [] as unknown[], model: [] as unknown[] }
  for (const step of steps) {
    results.model.push(model.run(step))
    if (step[0] === 'wait') results.ledger.push(await advance(LEASE_MS + 1))
    else if (step[0] === 'claim') results.ledger.push(Object(await run(callOf(step), LEASE_MS)).state)
    else results.ledger.push(await run(callOf(step), LEASE_MS))
  }
  results.model.push(model.placed)
  results.ledger.push(model.placed && Object(await run('claim0 claim', LEASE_MS)).referrals)
  return results
}
