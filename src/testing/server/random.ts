/** Pseudo-random choices: the same seed gives the same choices. A snapshot contains their state. */
export interface Random {
  /** Returns a version 4 UUID. */
  uuid(): string
  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number
  /** Returns a number from 0 up to, but not including, 1. */
  fraction(): number
  pick<T>(list: readonly T[]): T
}

/** State of a random generator: four 32-bit words, changed in place as numbers are drawn. */
export type RandomState = [number, number, number, number]

/** Returns the initial state for a seed. Different values of `stream` produce independent numbers. */
export function seedRandom(seed: number, stream = ''): RandomState {
  let hash = 0x9e3779b9
  for (const character of `${seed}/${stream}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  }
  const word = (): number => {
    hash = (hash + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(hash ^ (hash >>> 15), hash | 1)
    return (mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ (mixed >>> 14)) >>> 0
  }
  return [word(), word(), word(), word() | 1]
}

/** Returns the next number of the generator sfc32, and changes its state in place. */
function next(state: RandomState): number {
  const sum = (state[0] + state[1] + state[3]) >>> 0
  state[3] = (state[3] + 1) >>> 0
  state[0] = (state[1] ^ (state[1] >>> 9)) >>> 0
  state[1] = (state[2] + (state[2] << 3)) >>> 0
  state[2] = (((state[2] << 21) | (state[2] >>> 11)) + sum) >>> 0
  return sum
}

const WORDS = 2 ** 32

/** Creates random choices over a state. Calls `state` each time, because a restore or a reset replaces the state. */
export function createRandom(state: () => RandomState): Random {
  const fraction = (): number => next(state()) / WORDS
  const integer = (low: number, high: number): number => low + Math.floor(fraction() * (high - low + 1))
  return {
    fraction,
    integer,
    uuid: () => uuidOf(next(state()), next(state()), next(state()), next(state())),
    pick<T>(list: readonly T[]): T {
      const index = integer(0, list.length - 1)
      const picked = list[index]
      if (picked === undefined && index >= list.length) throw new RangeError('cannot pick from an empty list')
      return picked as T
    },
  }
}

function uuidOf(first: number, second: number, third: number, fourth: number): string {
  const hex = [
    first,
    ((second & 0xffff0fff) | 0x4000) >>> 0,
    ((third & 0x3fffffff) | 0x80000000) >>> 0,
    fourth,
  ]
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
