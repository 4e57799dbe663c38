import fc from 'fast-check'

/**
 * Ends a property before its test does: the runs, and the search for a smaller counterexample. A property that waits for
 * promises alone lets no timer fire, so that Vitest's time limit would never end it.
 */
fc.configureGlobal({ interruptAfterTimeLimit: 12_000 })
