const MAX_EVENTS = 1_000

/** Counts how often each event has failed in this process, for the latest thousand that did. */
export class FailureCounts {
  readonly #counts = new Map<string, number>()

  of(eventUuid: string): number {
    return this.#counts.get(eventUuid) ?? 0
  }

  add(eventUuid: string): void {
    const count = this.of(eventUuid) + 1
    this.#counts.delete(eventUuid)
    this.#counts.set(eventUuid, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_EVENTS && oldest !== undefined) this.#counts.delete(oldest)
  }

  clear(eventUuid: string): void {
    this.#counts.delete(eventUuid)
  }
}
