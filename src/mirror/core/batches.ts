export interface BatchOptions<Item, Result> {
  /** Processes a batch. Returns one result for each item, in their order, or nothing. */
  readonly process: (items: readonly Item[]) => Promise<readonly Result[] | undefined>
  readonly most: number
  /** Returns `true` for a failure that one of several items can have caused, so that each item is tried alone. */
  readonly isOfOneItem: (error: unknown) => boolean
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result | undefined) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Processes items in batches. A batch contains all items that were added while the batch before it was processed, so
 * that a single item never waits for others. If a batch fails because of one of its items, each item is processed alone.
 */
export class Batches<Item, Result = undefined> {
  readonly #options: BatchOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #isRunning = false

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  /** Processes an item in the next batch. */
  add(item: Item): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      // Items that are added in the same turn of the event loop are in one batch.
      await new Promise((resolve) => setImmediate(resolve))
      await this.#runBatch(this.#waiting.splice(0, this.#options.most))
    }
    this.#isRunning = false
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.process(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, place) => void resolve(results?.[place]))
    } catch (error) {
      if (batch.length === 1 || !this.#options.isOfOneItem(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      // Later batches do not wait, because a single item can take long, for example for a lock.
      for (const one of batch) void this.#runBatch([one])
    }
  }
}
