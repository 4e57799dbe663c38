import fc from 'fast-check'

/**
 * Ends a property before the time limit of its test, during its runs and during the search for a smaller
 * counterexample. A property that only waits for promises lets no timer run, so Vitest's time limit could not
 * end it.
 */
fc.configureGlobal({ interruptAfterTimeLimit: 12_000 })
