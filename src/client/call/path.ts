import { fieldIssue } from '../../contract/issues.js'
import { PATH_PARAMETERS, type PathParameter } from '../../contract/path-parameters.js'
import { InvalidRequestError } from '../errors/errors.js'

/**
 * Fills in a path template. Each parameter must match its pattern. Otherwise a value could leave its segment:
 * `encodeURIComponent` does not change `..`, which a URL parser resolves.
 */
export function buildPath(
  operation: string,
  template: string,
  parameters: Readonly<Record<string, unknown>>,
): string {
  let path = ''
  for (const part of partsOf(template)) {
    path += typeof part === 'string' ? part : checkedValue(operation, part, parameters[part.name])
  }
  return path
}

/** Placeholder in a template. */
interface Place {
  readonly name: PathParameter
}

const parsed = new Map<string, readonly (string | Place)[]>()

function partsOf(template: string): readonly (string | Place)[] {
  const known = parsed.get(template)
  if (known !== undefined) return known
  // Text and names alternate. The templates are those of the contract.
  const parts = template
    .split(/[{}]/)
    .map((part, index) => (index % 2 === 0 ? part : { name: part as PathParameter }))
  parsed.set(template, parts)
  return parts
}

function checkedValue(operation: string, { name }: Place, value: unknown): string {
  const { pattern, rule } = PATH_PARAMETERS[name]
  if (typeof value === 'string' && pattern.test(value)) return value
  throw new InvalidRequestError(operation, [fieldIssue([name], rule)], 'INVALID_PARAMETER')
}

/** Returns the query string with its question mark, or an empty string. Lists are joined by commas. */
export function buildQuery(operation: string, query: Readonly<Record<string, unknown>>): string {
  const refuse = (path: readonly PropertyKey[], rule: string): InvalidRequestError =>
    new InvalidRequestError(operation, [fieldIssue(path, rule)], 'INVALID_PARAMETER')
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${queryValue(name, value, refuse)}`
  }
  return text
}

type Refuse = (path: readonly PropertyKey[], rule: string) => InvalidRequestError

function queryValue(name: string, value: unknown, refuse: Refuse): string {
  if (!Array.isArray(value)) return encoded([name], value, refuse)
  const entries = value.map((entry: unknown, index) => {
    const path = [name, index]
    // The service would read a comma as a separator.
    if (String(entry).includes(',')) throw refuse(path, 'must not contain a comma')
    return encoded(path, entry, refuse)
  })
  return entries.join(',')
}

function encoded(path: readonly PropertyKey[], value: unknown, refuse: Refuse): string {
  try {
    return encodeURIComponent(String(value))
  } catch {
    throw refuse(path, 'must be well-formed text: it contains half of a surrogate pair')
  }
}
