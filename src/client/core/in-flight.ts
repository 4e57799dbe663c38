import { clientClosed, queueFull } from '../errors/sentences.js'

/** Counts the calls in flight. `close()` waits for them, and calls above the limit are rejected. */
export class InFlight {
  readonly #mostCalls: number
  #count = 0
  #calls = 0
  #closed = false
  readonly #waiting: (() => void)[] = []

  /** @param mostCalls - Maximum number of calls that run or wait. */
  constructor(mostCalls: number) {
    this.#mostCalls = mostCalls
  }

  /** Counts a call; call `end` once when it ends. */
  enter(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Counts a call and returns the function that ends it. Calling that function again has no effect. */
  begin(): () => void {
    this.enter()
    let isOver = false
    return () => {
      if (!isOver) this.end()
      isOver = true
    }
  }

  /**
   * Throws when the client is closed.
   *
   * @throws {@link ConnectionError} with the reason `closed`.
   */
  refuseIfClosed(what: string): void {
    if (this.#closed) throw clientClosed(what)
  }

  /**
   * Throws when the queue of calls is full.
   *
   * @throws {@link ConnectionError} with the reason `queue-full`.
   */
  refuseIfFull(what: string): void {
    if (this.#calls >= this.#mostCalls) throw queueFull(what)
  }

  /** Counts a call that runs or waits. Returns the function that ends the count; calling it again has no effect. */
  takePlace(): () => void {
    this.#calls += 1
    let isFree = false
    return () => {
      if (!isFree) this.#calls -= 1
      isFree = true
    }
  }

  /** Counts a call while `run` is pending. */
  async track<T>(run: () => Promise<T>): Promise<T> {
    this.enter()
    try {
      return await run()
    } finally {
      this.end()
    }
  }

  /** Rejects new calls, and resolves when no call is in flight. */
  close(): Promise<void> {
    this.#closed = true
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}
