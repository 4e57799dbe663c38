import { normaliseMedicareCardNumber, normaliseProviderNumber } from '../contract/identifiers.js'
import { fieldIssue, type IssueDraft } from '../contract/issues.js'
import { entriesOf, fieldOf } from '../contract/read.js'
import type { Order } from '../contract/types.js'

/**
 * Maximum size of metadata as JSON, including the order key, in bytes. A lookup reads pages of 20 referrals with their
 * metadata, so larger metadata could make a page exceed `maxResponseBytes`.
 */
const MAX_METADATA_BYTES = 256 * 1024

/** Copies an order with its card and provider numbers in the form that the service stores. */
export function normaliseOrder(order: Order): Order {
  const { medicareCardNumber: card, orderingPractitioner: practitioner } = order
  const copy: Order = { ...order }
  if (typeof card === 'string') copy.medicareCardNumber = normaliseMedicareCardNumber(card)
  if (typeof practitioner?.providerNumber === 'string') {
    const providerNumber = normaliseProviderNumber(practitioner.providerNumber)
    copy.orderingPractitioner = { ...practitioner, providerNumber }
  }
  return copy
}

/** Deepest nesting of metadata. */
const MAX_METADATA_DEPTH = 32

/** The problem of metadata that is too large, too deep or isn't JSON. */
export function metadataIssue(metadata: unknown): IssueDraft | undefined {
  if (isDeeper(metadata, MAX_METADATA_DEPTH))
    return fieldIssue(['metadata'], `must be nested at most ${MAX_METADATA_DEPTH} levels deep`)
  const bytes = jsonBytes(metadata)
  if (bytes === undefined) return fieldIssue(['metadata'], 'must be JSON')
  if (bytes <= MAX_METADATA_BYTES) return undefined
  return fieldIssue(['metadata'], `must be at most ${MAX_METADATA_BYTES} bytes long as JSON`)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

function jsonBytes(value: unknown): number | undefined {
  try {
    return new TextEncoder().encode(JSON.stringify(value) ?? '').length
  } catch {
    return undefined
  }
}

/** The tests of an order, with the path of each. The order may break the rules of `create`. */
export function orderedTests(order: object): { readonly id: string; readonly path: PropertyKey[] }[] {
  return ['tests', 'medicareTests'].flatMap((name) =>
    entriesOf(fieldOf(order, name)).flatMap(([index, id]) =>
      typeof id === 'string' && id.trim() !== '' ? [{ id, path: [name, index] }] : [],
    ),
  )
}
