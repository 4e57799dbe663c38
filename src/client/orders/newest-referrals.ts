import { ignore } from '../../common/errors.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import type { Deadline } from '../core/deadline.js'
import { hasPassed, type ListOrder, listOf, NEWEST_FIRST, orderAfter } from '../pagination/list.js'

/** A lookup that waits for the newest referrals. */
export interface Lookup {
  /** Start of the window, in milliseconds of the server clock. */
  readonly since: () => number
  readonly collect: (referral: Referral) => void
  readonly options: Pick<RequestOptions, 'headers' | 'apiVersion'>
  /**
   * `true` when the lookup is one of several for the same order. Such lookups wait between the readings of the list, so
   * that they do not slow down other requests.
   */
  readonly isRepeated: boolean
  readonly deadline: Deadline
}

/** The list of referrals. It is lenient: a referral that differs from the contract must not fail a lookup. */
const LIST = { ...endpoints.referrals.list, lenient: true } as const

/**
 * Maximum number of readings without a pause. One more reading is permitted every 3 s, so repeated lookups cause at
 * most nine readings in 20 s.
 */
const BURST = 3
const PACE_MS = 3_000

/**
 * Reads the newest referrals for all lookups of a client. Only one reading runs at a time. All waiting lookups share
 * it, so it goes back to the start of the longest window. It has the headers and the API version of the first of them,
 * and ends when no lookup waits for it any more.
 */
export class NewestReferrals {
  readonly #api: ApiClient
  /** Lookups for which no reading has started. The lookup that waited longest is the first. */
  readonly #waiting = new Set<Waiter>()
  #isRunning = false
  /** Page that the last reading could not read. If it was the first page, the service is probably down. */
  #failedPage: 'first' | 'later' | undefined
  /** Time from which `BURST` readings are permitted again without a pause, by the monotonic clock. */
  #freeAt = Number.NEGATIVE_INFINITY
  #wake: () => void = ignore

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Resolves when a reading has read the complete window. The reading starts after this call. Rejects with the error of
   * the reading, or with `CallEnded`.
   */
  async read(lookup: Lookup): Promise<void> {
    lookup.deadline.throwIfEnded()
    const waiter = new Waiter(lookup)
    this.#waiting.add(waiter)
    void this.#run()
    try {
      await lookup.deadline.race(waiter.done)
    } finally {
      waiter.isOver = true
      this.#waiting.delete(waiter)
      this.#wake()
      const { reading } = waiter
      if (reading?.waiters.every(({ isOver }) => isOver)) reading.controller.abort()
    }
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (;;) {
        await this.#pause()
        const [first] = this.#waiting
        if (first === undefined) return
        await this.#read(this.#createReading(first.lookup))
      }
    } finally {
      this.#isRunning = false
    }
  }

  /** If a repeated lookup is queued or the last reading failed, waits until a reading is permitted. */
  async #pause(): Promise<void> {
    const { clock } = this.#api.context.options
    while ([...this.#waiting].some(({ lookup }) => lookup.isRepeated || this.#failedPage)) {
      const wait = this.#freeAt - (BURST - 1) * PACE_MS - clock.monotonic()
      if (wait <= 0) return
      await new Promise<void>((resolve) => {
        const timer = clock.schedule(resolve, wait)
        this.#wake = () => {
          timer.cancel()
          resolve()
        }
      })
    }
  }

  /** Creates one reading for all waiting lookups. */
  #createReading({ options }: Lookup): Reading {
    const reading = { waiters: [...this.#waiting], options, controller: new AbortController() }
    this.#waiting.clear()
    for (const waiter of reading.waiters) waiter.reading = reading
    return reading
  }

  async #read(reading: Reading): Promise<void> {
    const now = this.#api.context.options.clock.monotonic()
    this.#freeAt = Math.min(Math.max(this.#freeAt, now) + PACE_MS, now + BURST * PACE_MS)
    const { waiters, controller } = reading
    let page: 'first' | 'later' = 'first'
    try {
      let order = NEWEST_FIRST
      for await (const { items } of this.#pages(reading)) {
        page = 'later'
        order = orderAfter(order, items)
        for (const waiter of waiters) waiter.receive(items, order)
        if (waiters.every(({ isOver }) => isOver)) break
      }
      this.#failedPage = undefined
      for (const waiter of waiters) waiter.resolve()
    } catch (error) {
      if (!controller.signal.aborted) this.#failedPage = page
      for (const waiter of waiters) waiter.reject(error)
    }
  }

  #pages({ waiters, controller, options: { headers, apiVersion } }: Reading) {
    // During an outage, the requests of a reading are not retried if all its lookups are repeated: such lookups have
    // further readings anyway.
    const isRetried = this.#failedPage !== 'first' || waiters.some(({ lookup }) => !lookup.isRepeated)
    const options = { headers, apiVersion, maxRetries: isRetried ? undefined : 0, signal: controller.signal }
    return listOf<Referral>(this.#api, LIST, { sort: 'desc' }, options, { mustBeComplete: true }).pages()
  }
}

interface Reading {
  readonly waiters: readonly Waiter[]
  /** Headers and version of the reading's requests: those of the first lookup. */
  readonly options: Lookup['options']
  /** Ends the requests of the reading. */
  readonly controller: AbortController
}

class Waiter {
  readonly lookup: Lookup
  readonly done: Promise<void>
  /** `undefined` while the lookup waits for its reading to start. */
  reading: Reading | undefined
  /** `true` when the window was read or the caller no longer waits. */
  isOver = false
  resolve: () => void = ignore
  reject: (error: unknown) => void = ignore

  constructor(lookup: Lookup) {
    this.lookup = lookup
    this.done = new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** Passes the referrals of a page to the lookup. Ends the lookup when the start of its window was reached. */
  receive(referrals: readonly Referral[], order: ListOrder): void {
    if (this.isOver) return
    for (const referral of referrals) this.lookup.collect(referral)
    this.isOver = hasPassed(order, this.lookup.since())
    if (this.isOver) this.resolve()
  }
}
