import { expect } from 'vitest'
import { canariesIn, everythingShownOf } from './canary-values.js'

export { CANARIES, canariesIn, everythingShownOf } from './canary-values.js'

/** Fails when a canary can be seen in what is printed of the value. */
export function expectNoCanary(value: unknown): void {
  const shown = everythingShownOf(value)
  expect(canariesIn(shown), `canaries are shown in:\n${shown}`).toEqual([])
}
