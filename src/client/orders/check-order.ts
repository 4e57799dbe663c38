import { isRecord, without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import type { Bundle, Order, Test } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { loaded } from '../core/lazy-import.js'
import { optionsSnapshot, snapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import { listOf } from '../pagination/list.js'
import { checkMetadata, orderToSend } from './order.js'

/** Options of `validate`. */
export interface ValidateOptions extends RequestOptions {
  /**
   * Also rejects mistakes that the service accepts: a date of birth in the future or before 1900, and a test that is
   * ordered twice. For an address in Australia, also a State or postcode that does not exist, and a postcode of another
   * State.
   * @defaultValue false
   */
  readonly plausible?: boolean | undefined
  /**
   * Also rejects tests and bundles that the service does not have, and `medicareTests` that Medicare does not list.
   * This check reads the list of tests if the order has tests, and the list of bundles if the order has a bundle, which
   * takes one request or a few.
   * @defaultValue false
   */
  readonly catalogue?: boolean | undefined
}

const OPERATION = 'referrals.validate'

const VALIDATE_OPTIONS = new Set([...CALL_OPTIONS, 'plausible', 'catalogue'])

type Fields = Readonly<Record<string, unknown>>

/** Checks an order with the rules of `create` and, if requested, further ones. Reports all problems together. */
export async function checkOrder(api: ApiClient, order: unknown, options: ValidateOptions): Promise<Order> {
  const own = optionsSnapshot(OPERATION, options, VALIDATE_OPTIONS)
  const call = without(own, 'plausible', 'catalogue')
  if (own.plausible !== true && own.catalogue !== true) return validateOrder(api, order, call)
  const given: unknown = snapshot(OPERATION, order)
  const broken = await brokenRules(api, given, call)
  const fields: Fields = isRecord(given) ? { ...given } : {}
  const more: IssueDraft[] = []
  if (own.plausible === true) {
    const { plausibilityIssues } = await loaded(import('./plausible-order.js'))
    more.push(...plausibilityIssues(fields, api.context.options.clock.now()))
  }
  if (own.catalogue === true) more.push(...(await catalogueIssues(api, fields, call)))
  if (more.length > 0) {
    const { withUserMessage } = await loaded(import('../../contract/user-messages.js'))
    throw new InvalidRequestError(OPERATION, [...(broken?.issues ?? []), ...more.map(withUserMessage)])
  }
  if (broken !== undefined) throw broken
  return order as Order
}

/** Order key of the check. It is as long as a generated key, so the metadata is as large as that of a real order. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Checks the rules of `create`. */
async function validateOrder(api: ApiClient, order: unknown, call: RequestOptions): Promise<Order> {
  // The cast is safe, because the check rejects data that is not an order.
  const body = orderToSend(snapshot(OPERATION, order) as Order, NIL_UUID)
  checkMetadata(OPERATION, body)
  await api.check(endpoints.referrals.create, { body, operation: OPERATION }, call)
  return order as Order
}

async function brokenRules(
  api: ApiClient,
  order: unknown,
  call: RequestOptions,
): Promise<InvalidRequestError | undefined> {
  try {
    await validateOrder(api, order, call)
    return undefined
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
    throw error
  }
}

async function catalogueIssues(api: ApiClient, order: Fields, call: RequestOptions): Promise<IssueDraft[]> {
  const issues: IssueDraft[] = []
  const { bundleId } = order
  if (Array.isArray(order['tests']) || Array.isArray(order['medicareTests'])) {
    const tests = await listOf<Test>(api, endpoints.tests.list, {}, call, { operation: OPERATION }).toArray()
    issues.push(...testIssues(order, tests))
  }
  if (typeof bundleId === 'string' && bundleId.trim() !== '' && !(await hasBundle(api, bundleId, call)))
    issues.push(fieldIssue(['bundleId'], 'is not the id of a bundle', { rule: 'unknown-bundle' }))
  return issues
}

async function hasBundle(api: ApiClient, bundleId: string, call: RequestOptions): Promise<boolean> {
  const use = { operation: OPERATION, mustBeComplete: true }
  const bundles = listOf<Bundle>(api, endpoints.bundles.list, { includeUnlisted: true }, call, use)
  for await (const { id } of bundles) if (id === bundleId) return true
  return false
}

function testIssues(order: Fields, tests: readonly Test[]): IssueDraft[] {
  const isListed = new Map(tests.map(({ id, medicareListed }) => [id, medicareListed]))
  return ['tests', 'medicareTests'].flatMap((name) => {
    const wanted: unknown = order[name]
    if (!Array.isArray(wanted)) return []
    return wanted.flatMap((id: unknown, index) => {
      if (typeof id !== 'string' || id.trim() === '') return []
      if (!isListed.has(id))
        return [fieldIssue([name, index], 'is not the id of a test', { rule: 'unknown-test' })]
      const isRefused = name === 'medicareTests' && isListed.get(id) === false
      const text = 'is not a test that Medicare lists'
      return isRefused ? [fieldIssue([name, index], text, { rule: 'not-under-medicare' })] : []
    })
  })
}
