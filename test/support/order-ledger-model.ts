import fc from 'fast-check'
import type { ManagedOrderLedger, OrderName } from 'pathology-sdk'

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

/** UUID of the referral that `resolve` records. */
const RESOLVED = '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'

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
      this.placed = [...new Set([...(this.placed ?? []), RESOLVED])]
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
      this.placed ??= [`by ${claim}`]
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

/** Runs the steps on a new entry of a ledger and on the model. Returns the results of both. */
export async function compareWithModel(
  ledger: ManagedOrderLedger,
  name: OrderName,
  steps: readonly LedgerStep[],
  advance: (ms: number) => Promise<void> | void,
): Promise<{ readonly ledger: unknown[]; readonly model: unknown[] }> {
  const model = new Model()
  const results = { ledger: [] as unknown[], model: [] as unknown[] }
  const tokens = Array.from({ length: 4 }, () => crypto.randomUUID())
  const marks = new Map<string, string>()
  for (const step of steps) {
    results.model.push(model.run(step))
    results.ledger.push(await run(step))
  }
  results.model.push(model.placed)
  if (model.placed) results.ledger.push((await claimed(tokens[0] ?? '')).referrals)
  else results.ledger.push(undefined)
  return results

  function claimed(token: string) {
    return ledger.claim(name, { token, leaseMs: LEASE_MS, fingerprint: { keyId: 'k', hash: 'h' } })
  }

  async function run([step, claim, mark]: LedgerStep): Promise<unknown> {
    const token = tokens[claim] ?? ''
    const id = marks.get(`${claim}.${mark}`) ?? crypto.randomUUID()
    marks.set(`${claim}.${mark}`, id)
    if (step === 'wait') return void (await advance(LEASE_MS + 1))
    if (step === 'claim') return (await claimed(token)).state
    if (step === 'mark') return ledger.mark(name, { token, mark: id, leaseMs: LEASE_MS })
    if (step === 'unmark') return ledger.unmark(name, { token, mark: id })
    if (step === 'renew') return ledger.renew(name, { token, leaseMs: LEASE_MS })
    if (step === 'resolve') return ledger.resolve(name, { placed: [RESOLVED] })
    if (step === 'deny') return ledger.resolve(name, 'not-placed')
    const outcome = step === 'placed' ? { placed: [`by ${claim}`] } : step
    return ledger.record(name, { token, outcome })
  }
}
