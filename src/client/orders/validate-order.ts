import { isRecord } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import type { Bundle, Order, Test } from '../../contract/types.js'
import { withUserMessage } from '../../contract/user-messages.js'
import { orderedTests } from '../../forms/order-input.js'
import { plausibilityIssues } from '../../forms/plausible-order.js'
import type { ApiClient } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { boolean } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import { listOf } from '../pagination/list.js'
import { checkMetadata, orderToSend } from './order.js'

/** Options of `validate`. */
export interface ValidateOptions extends RequestOptions {
  /**
   * Also rejects mistakes that the service accepts:
   * - a date of birth in the future or before 1900
   * - a phone number of fewer than eight digits
   * - an email address without a dot in its domain
   * - a test that is ordered twice
   * - in an Australian address, a State that does not exist
   * - in an Australian address, a postcode that does not belong to the State
   *
   * If the State is missing or unknown, the postcode must belong to one of the States.
   * @defaultValue false
   */
  readonly plausible?: boolean | undefined
  /**
   * Also rejects tests and bundles that the service does not have, and `medicareTests` that Medicare does not list.
   * This check reads the list of tests if the order has tests, and the list of bundles if the order has a bundle. Each
   * list takes one request or a few.
   * @defaultValue false
   */
  readonly catalogue?: boolean | undefined
}

const OPERATION = 'referrals.validate'

type Fields = Readonly<Record<string, unknown>>

/**
 * Checks an order with the rules of `create` and, if requested, further rules. Reports all problems together, with
 * three exceptions:
 * - Data that is not JSON hides all other problems.
 * - Metadata that is too large hides the other broken rules of `create`.
 * - Other broken rules of `create` hide a body that is larger than `maxRequestBytes`.
 */
export async function checkOrder(
  api: ApiClient,
  given: unknown,
  { plausible, catalogue, ...options }: ValidateOptions,
): Promise<void> {
  const isPlausible = boolean('plausible', plausible, false)
  const isInCatalogue = boolean('catalogue', catalogue, false)
  const broken = await brokenRules(api, given, options)
  const fields: Fields = isRecord(given) ? { ...given } : {}
  const more: IssueDraft[] = []
  if (isPlausible) more.push(...plausibilityIssues(fields, api.context.options.clock.now()))
  if (isInCatalogue) more.push(...(await catalogueIssues(api, fields, options)))
  if (more.length > 0)
    throw new InvalidRequestError(OPERATION, [...(broken?.issues ?? []), ...more.map(withUserMessage)])
  if (broken !== undefined) throw broken
}

/** Order key of the check. It is as long as a generated key, so the metadata is as large as with a generated key. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Checks the rules of `create`. */
async function brokenRules(
  api: ApiClient,
  order: unknown,
  options: RequestOptions,
): Promise<InvalidRequestError | undefined> {
  try {
    // The cast is safe, because the check rejects data that is not an order.
    const body = orderToSend(order as Order, NIL_UUID)
    checkMetadata(OPERATION, body)
    await api.check(endpoints.referrals.create, { body, operation: OPERATION }, options)
    return undefined
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
    throw error
  }
}

async function catalogueIssues(
  api: ApiClient,
  order: Fields,
  options: RequestOptions,
): Promise<IssueDraft[]> {
  const issues: IssueDraft[] = []
  const { bundleId } = order
  if (Array.isArray(order['tests']) || Array.isArray(order['medicareTests'])) {
    const use = { operation: OPERATION, mustBeComplete: true }
    const tests = await listOf<Test>(api, endpoints.tests.list, {}, options, use).toArray()
    issues.push(...testIssues(order, tests))
  }
  if (typeof bundleId === 'string' && bundleId.trim() !== '' && !(await hasBundle(api, bundleId, options)))
    issues.push(fieldIssue(['bundleId'], 'is not the id of a bundle', { rule: 'unknown-bundle' }))
  return issues
}

async function hasBundle(api: ApiClient, bundleId: string, options: RequestOptions): Promise<boolean> {
  const use = { operation: OPERATION, mustBeComplete: true }
  const bundles = listOf<Bundle>(api, endpoints.bundles.list, { includeUnlisted: true }, options, use)
  for await (const { id } of bundles) if (id === bundleId) return true
  return false
}

function testIssues(order: Fields, tests: readonly Test[]): IssueDraft[] {
  const isListed = new Map(tests.map(({ id, medicareListed }) => [id, medicareListed]))
  return orderedTests(order).flatMap(({ id, path }) => {
    if (!isListed.has(id)) return [fieldIssue(path, 'is not the id of a test', { rule: 'unknown-test' })]
    const isUnlisted = path[0] === 'medicareTests' && isListed.get(id) === false
    const text = 'is not a test that Medicare lists'
    return isUnlisted ? [fieldIssue(path, text, { rule: 'not-under-medicare' })] : []
  })
}
