import type { OrderLedger, OrderName } from 'pathology-sdk'

export type LedgerOperation = Exclude<keyof OrderLedger, 'watch'>

/** Effect of a fault on one statement. */
export type LedgerFault =
  /** Throws before it returns a promise. */
  | 'throws'
  /** Rejects, and nothing was done. */
  | 'fails'
  /** Is carried out, and rejects. */
  | 'lost'
  /** Is not carried out, and its promise never settles. */
  | 'hangs'
  /** Is carried out, and its promise never settles. */
  | 'silent'
  /** Is carried out twice; the second response is returned. */
  | 'twice'
  /** Runs code before or after the statement. An object that `after` returns replaces the response. */
  | { readonly before?: () => unknown; readonly after?: (result: unknown, request: unknown) => unknown }
  /** Returns another value. */
  | { readonly returns: unknown }

export interface LedgerCall {
  readonly operation: LedgerOperation
  readonly name: OrderName | string | undefined
  readonly request: unknown
  result: unknown
}

const never = new Promise<never>(() => undefined)

/**
 * A ledger that records its calls, and fails as the test requests. It has no `watch`, so waiting calls poll
 * it.
 */
export class WatchedLedger implements OrderLedger {
  readonly calls: LedgerCall[] = []
  readonly #inner: OrderLedger
  readonly #faults = new Map<LedgerOperation, LedgerFault[]>()
  readonly #always = new Map<LedgerOperation, LedgerFault>()
  isDown = false

  constructor(inner: OrderLedger) {
    this.#inner = inner
  }

  /** Sets the faults of the next statements of an operation, in order. */
  next(operation: LedgerOperation, ...faults: LedgerFault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults])
  }

  always(operation: LedgerOperation, fault: LedgerFault | undefined): void {
    if (fault === undefined) this.#always.delete(operation)
    else this.#always.set(operation, fault)
  }

  /** Operations in order, without renewals. */
  get operations(): LedgerOperation[] {
    return this.calls.map(({ operation }) => operation).filter((operation) => operation !== 'renew')
  }

  count(operation: LedgerOperation): number {
    return this.calls.filter((call) => call.operation === operation).length
  }

  readonly claim: OrderLedger['claim'] = (...args) =>
    this.#run('claim', args, () => this.#inner.claim(...args))
  readonly mark: OrderLedger['mark'] = (...args) => this.#run('mark', args, () => this.#inner.mark(...args))
  readonly unmark: OrderLedger['unmark'] = (...args) =>
    this.#run('unmark', args, () => this.#inner.unmark(...args))
  readonly renew: OrderLedger['renew'] = (...args) =>
    this.#run('renew', args, () => this.#inner.renew(...args))
  readonly record: OrderLedger['record'] = (...args) =>
    this.#run('record', args, () => this.#inner.record(...args))
  readonly resolve: OrderLedger['resolve'] = (...args) =>
    this.#run('resolve', args, () => this.#inner.resolve(...args))
  readonly prune: OrderLedger['prune'] = (request) =>
    this.#run('prune', [undefined, request], () => this.#inner.prune(request))

  #run<T>(
    operation: LedgerOperation,
    [name, request]: readonly [OrderName | string | undefined, unknown],
    run: () => Promise<T>,
  ): Promise<T> {
    const call: LedgerCall = { operation, name, request, result: undefined }
    this.calls.push(call)
    const fault = this.isDown
      ? 'fails'
      : (this.#faults.get(operation)?.shift() ?? this.#always.get(operation))
    if (fault === 'throws') throw new Error('the ledger threw')
    return this.#answer(fault, run, request).then((result) => {
      call.result = result
      return result
    })
  }

  async #answer<T>(fault: LedgerFault | undefined, run: () => Promise<T>, request: unknown): Promise<T> {
    if (fault === 'fails') throw new Error('the ledger is down')
    if (fault === 'hangs') return never
    if (typeof fault === 'object') return this.#withCode(fault, run, request)
    if (fault === 'twice') await run()
    const result = await run()
    if (fault === 'silent') return never
    if (fault === 'lost') throw new Error('the response of the ledger was lost')
    return result
  }

  async #withCode<T>(
    fault: Extract<LedgerFault, object>,
    run: () => Promise<T>,
    request: unknown,
  ): Promise<T> {
    // Any value: a user's ledger has no types at run time.
    if ('returns' in fault) return fault.returns as T
    await fault.before?.()
    const result = await run()
    const changed = await fault.after?.(result, request)
    return typeof changed === 'object' ? (changed as T) : result
  }
}
