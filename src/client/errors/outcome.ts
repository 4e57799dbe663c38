import type { Outcome } from '../../common/errors.js'

const GRAVITY: Readonly<Record<Outcome, number>> = { 'not-sent': 0, refused: 1, failed: 2, unknown: 3 }

/** Returns the more severe outcome of two attempts. */
export function moreSevere(first: Outcome, second: Outcome): Outcome {
  return GRAVITY[first] > GRAVITY[second] ? first : second
}
