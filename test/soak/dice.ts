/** Random choices from a seed (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but not including, 1. */
  readonly fraction = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer from 0 up to, but not including, `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** @throws RangeError - The list is empty. */
  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** One of several, by their weights. */
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    const whole = list.reduce((sum, { weight }) => sum + weight, 0)
    let left = this.fraction() * whole
    for (const item of list) {
      left -= item.weight
      if (left < 0) return item
    }
    return this.pick(list)
  }

  /** A second source of random choices, independent of this one. */
  fork(): Dice {
    return new Dice(Math.floor(this.fraction() * 4_294_967_296))
  }
}
