import { expect } from 'vitest'
import { canariesIn, everythingShownOf } from './canary-values.js'

export { CANARIES, canariesIn, everythingShownOf } from './canary-values.js'

/** Fails when the printed value contains a canary. */
export function expectNoCanary(value: unknown): void {
  const shown = everythingShownOf(value)
  expect(canariesIn(shown), `canaries are shown in:\n${shown}`).toEqual([])
}
