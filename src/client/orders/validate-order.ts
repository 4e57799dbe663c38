import { isPathologyError } from '../../common/errors.js'
import { isRecord, without } from '../../common/known-options.js'
import { loaded } from '../../common/lazy-import.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue, type IssueDraft, type RequestIssue } from '../../contract/issues.js'
import type { Bundle, Order, Test } from '../../contract/types.js'
import { type ApiVersion, SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { boolean, optionsSnapshot, snapshot } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import { listOf } from '../pagination/list.js'
import { checkMetadata, orderedTests, orderToSend } from './order.js'

/** Options of `validate`. */
export interface ValidateOptions extends RequestOptions {
  /**
   * Also rejects mistakes that the service accepts:
   * - a date of birth in the future or before 1900
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

const VALIDATE_OPTIONS = new Set([...CALL_OPTIONS, 'plausible', 'catalogue'])

type Fields = Readonly<Record<string, unknown>>

/**
 * Checks an order with the rules of `create` and, if requested, further rules. Reports all problems together, with
 * three exceptions:
 * - Data that is not JSON hides all other problems.
 * - Metadata that is too large hides the other broken rules of `create`.
 * - Other broken rules of `create` hide a body that is larger than `maxRequestBytes`.
 */
export async function validateOrder(
  api: ApiClient,
  order: unknown,
  options: ValidateOptions,
): Promise<Order> {
  const own = optionsSnapshot(OPERATION, options, VALIDATE_OPTIONS)
  const requestOptions = without(own, 'plausible', 'catalogue')
  const isPlausible = boolean('plausible', own.plausible, false)
  const isInCatalogue = boolean('catalogue', own.catalogue, false)
  const given: unknown = snapshot(OPERATION, order)
  const broken = await brokenRules(api, given, requestOptions)
  const fields: Fields = isRecord(given) ? { ...given } : {}
  const more: IssueDraft[] = []
  if (isPlausible) {
    const { plausibilityIssues } = await loaded(import('./plausible-order.js'))
    more.push(...plausibilityIssues(fields, api.context.options.clock.now()))
  }
  if (isInCatalogue) more.push(...(await catalogueIssues(api, fields, requestOptions)))
  if (more.length > 0) {
    const { withUserMessage } = await loaded(import('../../contract/user-messages.js'))
    throw new InvalidRequestError(OPERATION, [...(broken?.issues ?? []), ...more.map(withUserMessage)])
  }
  if (broken !== undefined) throw broken
  return order as Order
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

/** Result of a check by {@link orderSchema}: the order, or its problems. */
export type OrderSchemaResult =
  | { readonly value: Order; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        /** Sentence for the person who fills in the form, such as `Enter a suburb`. */
        readonly message: string
        /** Path of the field, such as `['tests', 2]`; empty for a problem of the entire order. */
        readonly path: readonly PropertyKey[]
      }[]
    }

/** A Standard Schema of an order, for form libraries. */
export interface OrderSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'pathology-sdk'
    /**
     * Checks an order. In the returned `value`, the card and provider numbers have no spaces or hyphens. The card
     * number has no slash before the IRN, and the provider number is in upper case.
     */
    readonly validate: (value: unknown) => Promise<OrderSchemaResult>
    readonly types?: { readonly input: Order; readonly output: Order } | undefined
  }
}

/**
 * An order as a Standard Schema, for form libraries and routers that accept Standard Schemas. The schema checks the
 * same rules as `client.referrals.validate` without options, for API version 1.1.0, except the client's
 * `maxRequestBytes`. It needs no client. The messages are sentences for the person who fills in the form.
 *
 * @example
 * ```ts
 * const result = await orderSchema['~standard'].validate(form)
 * if (result.issues !== undefined) show(result.issues)
 * ```
 */
export const orderSchema: OrderSchema = {
  '~standard': { version: 1, vendor: 'pathology-sdk', validate: validateForm },
}

const FORM = 'orderSchema'

async function validateForm(value: unknown): Promise<OrderSchemaResult> {
  const { order, issues } = await checkOrder(FORM, value, SDK_DEFAULT_VERSION)
  return issues.length === 0 ? { value: order } : { issues: issues.map(formIssue) }
}

/**
 * Checks an order by the rules of `create`, without a client. Returns the order with normalised numbers, and its
 * problems. If there are problems, the returned value may be of another type than an order.
 *
 * @param operation - Name of the check. It does not appear in the problems.
 */
export async function checkOrder(
  operation: string,
  given: unknown,
  version: ApiVersion,
): Promise<{ readonly order: Order; readonly issues: readonly RequestIssue[] }> {
  const { checkRequest } = await loaded(import('../../contract/check-request.js'))
  // The cast is safe, because an order with problems is not used.
  const order = given as Order
  try {
    const copy = snapshot(operation, order)
    checkMetadata(operation, orderToSend(copy, NIL_UUID))
    const toSend = orderToSend(copy, undefined)
    return { order: toSend, issues: checkRequest('Order', toSend, version, true) }
  } catch (error) {
    if (error instanceof InvalidRequestError) return { order, issues: error.issues }
    throw error
  }
}

function formIssue({ userMessage, field }: RequestIssue) {
  return { message: userMessage, path: pathOf(field) }
}

/** Converts `tests[2].id` to `['tests', 2, 'id']`. */
function pathOf(field = ''): PropertyKey[] {
  const steps = field.match(/[^.[\]]+|\[\d+\]/g) ?? []
  return steps.map((step) => (step.startsWith('[') ? Number(step.slice(1, -1)) : step))
}

/**
 * Groups the issues of an error by their fields, for a form. The key is the field's path, such as `address.city` or
 * `tests[2]`; issues without a field have the key `''`.
 *
 * @param error - Any thrown value. An error without issues gives an empty object.
 */
export function issuesByField(error: unknown): Readonly<Record<string, readonly RequestIssue[]>> {
  const fields: Record<string, RequestIssue[]> = Object.create(null)
  // `instanceof` would fail for an error of another copy of this package.
  const issues: unknown = isPathologyError(error) ? Reflect.get(error, 'issues') : undefined
  if (!Array.isArray(issues)) return fields
  // The cast is safe, because only errors with issues have this property.
  for (const issue of issues as readonly RequestIssue[]) {
    const field = issue.field ?? ''
    fields[field] = [...(fields[field] ?? []), issue]
  }
  return fields
}
