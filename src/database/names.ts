import { ConfigurationError } from '../common/errors.js'

const PLAIN_NAME = /^[a-z_][a-z0-9_]{0,47}$/

/**
 * Checks a name that becomes part of an SQL text.
 *
 * @param option - The option with the name, for the error message.
 * @throws {@link ConfigurationError} if `name` is not a plain name in lower case, or begins with `pg_`.
 */
export function checkedName(option: string, name: unknown): string {
  if (typeof name === 'string' && PLAIN_NAME.test(name) && !name.startsWith('pg_')) return name
  throw new ConfigurationError(
    `${option} must be a plain name: lower-case letters, digits and underscores, at most 48 characters, not starting with a digit or pg_`,
  )
}

/**
 * Returns a function that replaces `{schema}` in a text by the schema's name, and caches the results. A text without
 * `{schema}` is not cached, because it can be different each time.
 */
export function schemaNames(schema: string): (text: string) => string {
  const replaced = new Map<string, string>()
  return (text) => {
    if (!text.includes('{schema}')) return text
    let result = replaced.get(text)
    if (result === undefined) {
      result = text.replaceAll('{schema}', schema)
      replaced.set(text, result)
    }
    return result
  }
}
