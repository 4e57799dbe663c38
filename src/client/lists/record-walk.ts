import type { Page } from './cursor-iterator.js'

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined }

/**
 * The records of pages, one by one, as an async generator would give them. Those of a page that is here cost one promise
 * each and no more: a generator takes three turns of the event loop's small queue for a record.
 */
export class RecordWalk<T> implements AsyncGenerator<T, void, undefined> {
  readonly #pages: AsyncGenerator<Page<T>, void, undefined>
  #records: Iterator<T, undefined> = nothing()
  /** The last of those that wait for a page: who comes after takes its turn. */
  #last: Promise<void> | undefined

  constructor(pages: AsyncGenerator<Page<T>, void, undefined>) {
    this.#pages = pages
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#last !== undefined) return this.#inTurn(() => this.#advance())
    const record = this.#records.next()
    return record.done === true ? this.#inTurn(() => this.#advance()) : Promise.resolve(record)
  }

  return(): Promise<IteratorResult<T, void>> {
    return this.#inTurn(() => this.#end())
  }

  throw(error: unknown): Promise<IteratorResult<T, void>> {
    return this.#inTurn(async () => {
      await this.#end()
      throw error
    })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  async #advance(): Promise<IteratorResult<T, void>> {
    for (;;) {
      const record = this.#records.next()
      if (record.done !== true) return record
      const page = await this.#pages.next()
      if (page.done === true) return OVER
      this.#records = page.value.items.values()
    }
  }

  async #end(): Promise<IteratorResult<T, void>> {
    this.#records = nothing()
    await this.#pages.return()
    return OVER
  }

  #inTurn<R>(run: () => Promise<R>): Promise<R> {
    const turn = this.#last === undefined ? run() : this.#last.then(run)
    const done = (): void => {
      if (this.#last === last) this.#last = undefined
    }
    const last = turn.then(done, done)
    this.#last = last
    return turn
  }
}

function nothing(): Iterator<never, undefined> {
  return [].values()
}
