const KINDS = ['string', 'text', 'integer', 'boolean', 'list', 'object'] as const

/** What a field of a control action accepts. */
export interface Field {
  /** `any` accepts JSON, and text that isn't JSON. */
  readonly kind: (typeof KINDS)[number] | 'any'
  /** The values of a field that accepts only these. */
  readonly choices: readonly string[]
  /** The description without the type. */
  readonly help: string
}

/**
 * Reads the description of a field, which begins with its type, as in `integer: number of orders, default 1`, or with
 * its values, as in `before or mid-body: resets the connection`.
 */
export function fieldOf(description: string): Field {
  const [type = '', ...rest] = description.split(': ')
  const words = type.split(/, | or /)
  if (words.length > 1 && words.every((word) => /^[\w-]+$/.test(word)))
    return { kind: 'string', choices: words, help: rest.join(': ') }
  const kind = KINDS.find((name) => type.startsWith(name) && !type.includes(' or ')) ?? 'any'
  const help = description.replace(/^(?:string|text|integer|boolean|object|any)\b[:,]? ?/, '')
  return { kind, choices: [], help }
}

/** Returns the value of a field that a user entered as text. */
export function fieldValue(text: string, kind: Field['kind']): unknown {
  if (kind === 'string' || kind === 'text') return text
  if (kind === 'list' && !text.startsWith('[')) return text.split(',').map((item) => item.trim())
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
