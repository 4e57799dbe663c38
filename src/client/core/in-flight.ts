import { clientClosed } from '../errors/sentences.js'

/** Counts what is on its way, so that closing lets it end and lets nothing begin. */
export class InFlight {
  #count = 0
  #closed = false
  readonly #waiting: (() => void)[] = []

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
