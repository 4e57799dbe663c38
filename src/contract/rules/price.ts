import type { IssueDraft } from '../issues.js'

// §4.3
/** A price request needs at least one test or a bundle. */
export function priceRules(request: Readonly<Record<string, unknown>>): IssueDraft[] {
  const { tests, bundleId } = request
  const some = bundleId !== undefined || (Array.isArray(tests) && tests.length > 0)
  return some
    ? []
    : [{ message: 'at least one of tests and bundleId is required', field: 'tests', rule: 'at-least-one' }]
}
