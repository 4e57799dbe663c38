import type * as z from 'zod'
import { isDate } from '../contract/realms.js'
import { fieldNames, meantField } from '../contract/request-issues.js'
import { orderInputSchema } from '../contract/schemas/requests.js'

/** What a form sends: pairs of names and values, or an object of them. */
export type FormInput = Iterable<readonly [string, unknown]> | Readonly<Record<string, unknown>>

/** The part of an order that a form has filled in, for {@link orderSchema} to check. */
export type OrderDraft = Record<string, unknown>

/** Every field of an order, at any depth. */
const FIELD_NAMES: readonly string[] = /* @__PURE__ */ fieldNames(orderInputSchema)

/** Texts of checkboxes and radio buttons. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['yes', true],
  ['off', false],
  ['false', false],
  ['0', false],
  ['no', false],
])

/**
 * Makes an order of the fields of a form, for {@link orderSchema} to check:
 *
 * - `address.city` or `address[city]` becomes the field `city` of `address`, and the same for `orderingPractitioner` and
 *   `metadata`.
 * - `tests` and `medicareTests` become lists, whether sent once, repeatedly, or as `tests[]`.
 * - `emailReferralToCustomer`, a checkbox or a radio button, becomes `true` or `false`. A checkbox that isn't ticked
 *   isn't sent: add a hidden field `off` before it if you need `false`.
 * - Texts are trimmed, and blank fields are dropped, so `medicareCardNumber: ''` means "none".
 * - Names that have nothing to do with an order are dropped, such as a token against forged requests. A misspelt name
 *   stays, so that the schema finds it.
 *
 * @param data - `FormData`, `URLSearchParams`, or an object, whose values may be texts, lists, numbers or booleans.
 */
export function orderFromForm(data: FormInput): OrderDraft {
  const order: OrderDraft = {}
  for (const [name, value] of pairsOf(data)) {
    const [field = '', ...inner] = name.split(/[.[\]]+/).filter((step) => step !== '' && !/^\d+$/.test(step))
    const cleaned = clean(value)
    if (cleaned === undefined || !looksLikeOurs(field)) continue
    if (inner.length > 0) objectAt(order, field)[inner.join('.')] = cleaned
    else put(order, field, cleaned)
  }
  return order
}

/** The fields of a form, with those of inner objects by their paths. */
function pairsOf(data: FormInput): readonly (readonly [string, unknown])[] {
  // A request without a body parser has no body: then every required field has a problem.
  if (typeof data !== 'object' || data === null) return []
  if (isIterable(data)) return [...data]
  return Object.entries(data).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map((entry) => [name, entry] as const)
    if (typeof value !== 'object' || value === null || isDate(value)) return [[name, value] as const]
    return Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each] as const)
  })
}

function isIterable(data: FormInput): data is Iterable<readonly [string, unknown]> {
  return Symbol.iterator in data
}

/** A trimmed text; `undefined` for a blank one. Any other value stays. */
function clean(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() || undefined : (value ?? undefined)
}

/** A field of an order, at any depth, or a misspelt one: both must reach the schema. */
function looksLikeOurs(field: string): boolean {
  return FIELD_NAMES.includes(field) || meantField(field, FIELD_NAMES) !== undefined
}

function put(order: OrderDraft, field: string, value: unknown): void {
  const type = typeOf(field)
  const known = order[field]
  if (type === 'array') order[field] = Array.isArray(known) ? [...known, value] : [value]
  else if (type === 'boolean' && typeof value === 'string')
    order[field] = BOOLEANS.get(value.toLowerCase()) ?? value
  else order[field] = value
}

/** The type of a field in the schema of an order. */
function typeOf(field: string): string | undefined {
  const { shape } = orderInputSchema
  if (!Object.hasOwn(shape, field)) return undefined
  const { def } = (Reflect.get(shape, field) as z.core.$ZodTypes)._zod
  return def.type === 'optional' ? def.innerType._zod.def.type : def.type
}

/** The inner object of a field, made when its first value comes. */
function objectAt(order: OrderDraft, field: string): OrderDraft {
  const known = order[field]
  const inner = typeof known === 'object' && known !== null ? { ...known } : {}
  order[field] = inner
  return inner
}
