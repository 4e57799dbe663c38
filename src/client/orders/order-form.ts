import { isPathologyError } from '../../common/errors.js'
import type { RequestIssue } from '../../contract/issues.js'
import type { Order } from '../../contract/types.js'
import { SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import { loaded } from '../core/lazy-import.js'
import { snapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import { checkMetadata, orderToSend } from './order.js'

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
     * Checks an order. In the returned `value`, the card and provider numbers have no spaces or hyphens, and the
     * provider number is in upper case.
     */
    readonly validate: (value: unknown) => Promise<OrderSchemaResult>
    readonly types?: { readonly input: Order; readonly output: Order } | undefined
  }
}

/**
 * An order as a Standard Schema, for form libraries and routers that accept Standard Schemas. The schema checks the
 * same rules as `client.referrals.validate` without options, for API version 1.1.0, and needs no client. The messages
 * are sentences for the person who fills in the form.
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

const OPERATION = 'orderSchema'

async function validateForm(value: unknown): Promise<OrderSchemaResult> {
  const { checkRequest } = await loaded(import('../../contract/check-request.js'))
  try {
    // The cast is safe, because the check below rejects data that is not an order.
    const order = orderToSend(snapshot(OPERATION, value) as Order, undefined)
    checkMetadata(OPERATION, order)
    const issues = checkRequest('Order', order, SDK_DEFAULT_VERSION, true)
    return issues.length === 0 ? { value: order } : { issues: issues.map(formIssue) }
  } catch (error) {
    if (error instanceof InvalidRequestError) return { issues: error.issues.map(formIssue) }
    throw error
  }
}

function formIssue({ userMessage, field }: RequestIssue): {
  readonly message: string
  readonly path: readonly PropertyKey[]
} {
  return { message: userMessage, path: field === undefined ? [] : pathOf(field) }
}

/** Converts `tests[2].id` to `['tests', 2, 'id']`. */
function pathOf(field: string): PropertyKey[] {
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
  for (const issue of issuesOf(error)) {
    const field = issue.field ?? ''
    fields[field] = [...(fields[field] ?? []), issue]
  }
  return fields
}

function issuesOf(error: unknown): readonly RequestIssue[] {
  if (!isPathologyError(error)) return []
  // `instanceof` would fail for an error of another copy of this package.
  const issues: unknown = Reflect.get(error, 'issues')
  // The cast is safe, because only errors with issues have this property.
  return Array.isArray(issues) ? (issues as readonly RequestIssue[]) : []
}
