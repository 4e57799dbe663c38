/** A turn in an entity's queue. */
export interface Turn {
  /**
   * Resolves when every earlier turn of the entity has ended: with `false` when the last one to run overran its deadline and
   * may still be running.
   */
  readonly ready: Promise<boolean>
  /** Lets the next one in. Only once `ready` has resolved; one that did not run passes on what it was told. */
  leave(isDone: boolean): void
}

/** Lets one delivery at a time through for each entity, in the order of arrival; entities do not wait for others. */
export class EntityQueue {
  readonly #tails = new Map<string, Promise<boolean>>()

  /** Queues up behind whatever is at work for the entity. */
  enter(entity: string): Turn {
    const ready = this.#tails.get(entity) ?? Promise.resolve(true)
    let finish = (_isDone: boolean): void => undefined
    const finished = new Promise<boolean>((resolve) => {
      finish = resolve
    })
    this.#tails.set(entity, finished)
    const leave = (isDone: boolean): void => {
      finish(isDone)
      if (this.#tails.get(entity) === finished) this.#tails.delete(entity)
    }
    return { ready, leave }
  }
}
