import type { WebhookEvent } from '../../contract/events.js'

/** A permit to handle an event. An entity is the referral or the result of the event. */
export interface Permit {
  /**
   * Resolves when all earlier permits of the entity are released. The value is `false` if the last handler exceeded its
   * timeout and may still be running.
   */
  readonly ready: Promise<boolean>
  /**
   * Lets the next event of the entity start. Call `release` only after `ready` has resolved.
   *
   * @param isDone - Whether the handler has finished. For a permit that was not used, pass the value of `ready`.
   */
  release(isDone: boolean): void
}

/**
 * Queue that permits one event at a time for each entity, in order of arrival. Different entities do not wait for
 * each other.
 */
export class EntityQueue {
  readonly #tails = new Map<string, Promise<boolean>>()

  acquire(event: WebhookEvent): Permit {
    const entity = entityOf(event)
    const ready = this.#tails.get(entity) ?? Promise.resolve(true)
    let finish = (_isDone: boolean): void => undefined
    const finished = new Promise<boolean>((resolve) => {
      finish = resolve
    })
    this.#tails.set(entity, finished)
    const release = (isDone: boolean): void => {
      finish(isDone)
      if (this.#tails.get(entity) === finished) this.#tails.delete(entity)
    }
    return { ready, release }
  }
}

/** Returns the UUID of the event's referral or result. An event without such a UUID is its own entity. */
function entityOf({ data, eventUuid }: WebhookEvent): string {
  return typeof data['uuid'] === 'string' ? data['uuid'] : eventUuid
}
