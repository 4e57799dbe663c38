import type { RequestIssue } from '../issues.js'

/** A price needs something to price (§4.3). */
export function priceRules(request: Readonly<Record<string, unknown>>): RequestIssue[] {
  const { tests, bundleId } = request
  const some = bundleId !== undefined || (Array.isArray(tests) && tests.length > 0)
  return some ? [] : [{ message: 'at least one of tests and bundleId is required', field: 'tests' }]
}
