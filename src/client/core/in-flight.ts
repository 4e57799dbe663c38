import { clientClosed, queueFull } from '../errors/sentences.js'

/** Counts what is on its way, so that closing lets it end and lets nothing begin, and so that only so many calls wait. */
export class InFlight {
  readonly #mostCalls: number
  #count = 0
  #calls = 0
  #closed = false
  readonly #waiting: (() => void)[] = []

  /** @param mostCalls - Calls that may run or wait at the same time. */
  constructor(mostCalls: number) {
    this.#mostCalls = mostCalls
  }

  /** Something begins: `end` is to be called once. */
  enter(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Something begins. Returns what to call, once or more often, when it has ended. */
  begin(): () => void {
    this.enter()
    let isOver = false
    return () => {
      if (!isOver) this.end()
      isOver = true
    }
  }

  /** @throws {@link ConnectionError} when the client is closed. */
  refuseIfClosed(what: string): void {
    if (this.#closed) throw clientClosed(what)
  }

  /** @throws {@link ConnectionError} when so many calls run and wait that no other may wait. */
  refuseIfFull(what: string): void {
    if (this.#calls >= this.#mostCalls) throw queueFull(what)
  }

  /** Counts a call that runs or waits. Returns what to call, once or more often, when it does so no longer. */
  takePlace(): () => void {
    this.#calls += 1
    let isFree = false
    return () => {
      if (!isFree) this.#calls -= 1
      isFree = true
    }
  }

  /** Counts for as long as `run` takes. */
  async track<T>(run: () => Promise<T>): Promise<T> {
    this.enter()
    try {
      return await run()
    } finally {
      this.end()
    }
  }

  /** Lets nothing begin any more. Resolves when nothing is on its way. */
  close(): Promise<void> {
    this.#closed = true
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}
