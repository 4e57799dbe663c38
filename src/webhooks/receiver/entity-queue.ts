/** A place in an entity's queue. */
export interface Turn {
  /** Resolves when every earlier turn of the entity was left. */
  readonly ready: Promise<void>
  /** Lets the next one in. Only once `ready` has resolved. */
  leave(): void
}

/** Lets one delivery at a time through for each entity, in the order of arrival; entities do not wait for others. */
export class EntityQueue {
  readonly #tails = new Map<string, Promise<void>>()

  /** Queues up behind whatever is at work for the entity. */
  enter(entity: string): Turn {
    const ready = this.#tails.get(entity) ?? Promise.resolve()
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    this.#tails.set(entity, finished)
    const leave = (): void => {
      finish()
      if (this.#tails.get(entity) === finished) this.#tails.delete(entity)
    }
    return { ready, leave }
  }
}
