const SEPARATORS = /[\s\-\u2010-\u2015\u2212]+/g

/** Returns an empty string for a value that is not a string, because callers in JavaScript may pass any value. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function upperCaseAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/**
 * Removes spaces, hyphens and the slash before the IRN from a Medicare card number, as the client does before it sends
 * an order. Other characters are kept, so an invalid number stays invalid. A value that is not a string becomes an
 * empty string.
 */
export function normaliseMedicareCardNumber(value: string): string {
  return textOf(value)
    .replace(SEPARATORS, '')
    .replace(/^(\d{10})\/(\d)$/, '$1$2')
}

/**
 * Removes spaces and hyphens from a Medicare provider number and converts it to upper case, as the client does before
 * it sends the number. A value that is not a string becomes an empty string.
 */
export function normaliseProviderNumber(value: string): string {
  return upperCaseAscii(textOf(value).replace(SEPARATORS, ''))
}

/**
 * Removes spaces and hyphens from a DVA file number and converts it to upper case. If the war code is missing, inserts
 * the official blank after the State letter. A value that is not a string becomes an empty string.
 */
export function normaliseDvaNumber(value: string): string {
  return upperCaseAscii(textOf(value).replace(SEPARATORS, '')).replace(/^([A-Z])(?=\d)/, '$1 ')
}

/** A UUID of any version, in upper or lower case. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID_PATTERN.test(value)
}

/** The pattern of each path parameter, and its rule in words for error messages. */
export const PATH_PARAMETERS = {
  uuid: { pattern: UUID_PATTERN, rule: 'must be a UUID' },
  // The characters of a path segment (RFC 3986), but not `.` or `..`.
  id: { pattern: /^(?!\.\.?$)[\w.~!$&'()*+,;=:@-]{1,128}$/, rule: 'must be the id of a webhook' },
  providerNumber: {
    pattern: /^[0-9A-Za-z]{8}$/,
    rule: 'must be an eight-character Medicare provider number',
  },
} as const satisfies Record<string, { readonly pattern: RegExp; readonly rule: string }>

export type PathParameter = keyof typeof PATH_PARAMETERS
