import { isFields } from '../contract/check.js'
import { checkRequest } from '../contract/check-request.js'
import type { RequestIssue } from '../contract/issues.js'
import type { Order } from '../contract/types.js'
import { withUserMessage } from '../contract/user-messages.js'
import { API_VERSIONS, type ApiVersion, isApiVersion, SDK_DEFAULT_VERSION } from '../contract/versions.js'
import { metadataIssue, normaliseOrder } from './order-input.js'
import { plausibilityIssues } from './plausible-order.js'

/** Options of {@link OrderSchema.with}. */
export interface OrderSchemaOptions {
  /**
   * API version of the client that places the order. Version 1.0.0 has no `bundleId` and no `medicareTests`.
   * @defaultValue `1.1.0`
   */
  readonly apiVersion?: ApiVersion | undefined
  /**
   * Also rejects what the service accepts but a patient hardly means: a date of birth in the future or before 1900, a
   * phone number of fewer than eight digits, an email address without a dot in its domain, a test that is chosen twice,
   * and, in Australia, a State or a postcode that doesn't exist.
   * @defaultValue `false`
   */
  readonly plausible?: boolean | undefined
}

/** Result of a check by {@link orderSchema}: the order, or its problems. */
export type OrderSchemaResult =
  | {
      /** The order, with card and provider numbers in the form that the service stores. */
      readonly value: Order
      readonly issues?: undefined
    }
  | {
      /** The problems, at least one. */
      readonly issues: readonly OrderProblem[]
    }

/** A problem of an order, for the person who fills in the form. */
export interface OrderProblem {
  /** Sentence for that person, such as `Enter a suburb`. It never contains the value. */
  readonly message: string
  /** Path of the field, such as `['tests', 2]`; empty for a problem of the whole order. */
  readonly path: readonly PropertyKey[]
}

/** A Standard Schema of an order, for form libraries. */
export interface OrderSchema {
  /** The interface that form libraries and routers call: https://standardschema.dev. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'pathology-sdk'
    /** Checks an order. Never throws. The value that it returns is a copy. */
    readonly validate: (value: unknown) => OrderSchemaResult
    readonly types?: { readonly input: Order; readonly output: Order } | undefined
  }
  /**
   * Returns the schema for another API version, or one that also rejects implausible values.
   *
   * @throws `TypeError` for an API version that this package doesn't know.
   */
  with(options: OrderSchemaOptions): OrderSchema
}

/**
 * An order as a Standard Schema, for form libraries and routers that accept one. It checks the same rules as
 * `client.referrals.validate`, needs no client and runs in browsers. Its messages are sentences for the person who fills
 * in the form.
 *
 * @example
 * ```ts
 * import { orderFromForm, orderSchema } from 'pathology-sdk/forms'
 *
 * const result = orderSchema['~standard'].validate(orderFromForm(new FormData(form)))
 * if (result.issues !== undefined) for (const { path, message } of result.issues) show(path.join('.'), message)
 * ```
 */
export const orderSchema: OrderSchema = /* @__PURE__ */ schemaOf({})

function schemaOf(options: OrderSchemaOptions): OrderSchema {
  const { apiVersion = SDK_DEFAULT_VERSION, plausible = false } = options
  if (!isApiVersion(apiVersion)) throw new TypeError(`apiVersion must be ${API_VERSIONS.join(' or ')}`)
  const validate = (given: unknown): OrderSchemaResult => {
    const { order, issues } = checkOrder(withFields(given), apiVersion)
    const more =
      plausible && isFields(given) ? plausibilityIssues(given, Date.now()).map(withUserMessage) : []
    const problems = [...issues, ...more].map(({ userMessage, field }) => ({
      message: userMessage,
      path: pathOf(field),
    }))
    return problems.length === 0 ? { value: order } : { issues: problems }
  }
  return {
    '~standard': { version: 1, vendor: 'pathology-sdk', validate },
    with: (more) => schemaOf({ ...options, ...more }),
  }
}

/**
 * Checks an order by the rules of `create`. Returns a copy of it with normalised numbers, and its problems. With
 * problems, the copy may be of another type than an order.
 */
export function checkOrder(
  given: unknown,
  version: ApiVersion,
): { readonly order: Order; readonly issues: readonly RequestIssue[] } {
  // The casts are safe, because an order with problems isn't used.
  const order = isFields(given) ? normaliseOrder(given as Order) : (given as Order)
  const ofMetadata = isFields(given) ? metadataIssue(given['metadata']) : undefined
  const issues = checkRequest('Order', order, version, true)
  return { order, issues: ofMetadata === undefined ? issues : [...issues, withUserMessage(ofMetadata)] }
}

/** Adds the objects that an order lacks, so that each of their fields has a problem of its own. */
function withFields(given: unknown): unknown {
  if (!isFields(given)) return given
  const { address = {}, orderingPractitioner, medicareTests } = given
  const isMedicare = Array.isArray(medicareTests) && medicareTests.length > 0
  return isMedicare && orderingPractitioner === undefined
    ? { ...given, address, orderingPractitioner: {} }
    : { ...given, address }
}

/** Converts `tests[2].id` to `['tests', 2, 'id']`. */
function pathOf(field = ''): PropertyKey[] {
  const steps = field.match(/[^.[\]]+|\[\d+\]/g) ?? []
  return steps.map((step) => (step.startsWith('[') ? Number(step.slice(1, -1)) : step))
}
