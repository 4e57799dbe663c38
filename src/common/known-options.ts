import { similarName } from '../contract/similar.js'
import { ConfigurationError } from './errors.js'

/**
 * Returns `true` when the `toString` tag of a value is `Object` or `Module`, such as a plain object or a module
 * namespace. Lists, signals and `Headers` have other tags.
 */
export function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  // The prototype is compared first, because `toString` is slow.
  return isPlain(value) || /^\[object (Object|Module)\]$/.test(Object.prototype.toString.call(value))
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Names that an error message may show. Any other text could be data that was passed by mistake. */
const OPTION_NAME = /^[a-z][A-Za-z0-9]{0,39}$/

/**
 * Returns a copy of options, which the caller may change later. Getters and inherited options are read too, for
 * example those of a class.
 *
 * @throws {@link ConfigurationError} when `options` is not an object, or has an option that is not in `names`, such as
 * a misspelt `orderKey`.
 */
export function ownOptions<T extends object>(owner: string, options: T, names: ReadonlySet<string>): T {
  if (!isRecord(options)) throw new ConfigurationError(`the options of ${owner} must be an object`)
  const unknown = Object.keys(options).find((name) => !names.has(name))
  if (unknown !== undefined) {
    const meant = similarName(unknown, names)
    const shown = OPTION_NAME.test(unknown) ? unknown : 'a given name (not shown, because it could be data)'
    throw new ConfigurationError(
      `${shown} is not an option of ${owner}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    )
  }
  const own: object = {}
  for (const name of names) if (name in options) Reflect.set(own, name, Reflect.get(options, name))
  return own as T
}

/** Returns a copy of options without the options in `names`. */
export function without<T extends object, Name extends keyof T & string>(
  options: T,
  ...names: readonly Name[]
): Omit<T, Name> {
  const rest: object = { ...options }
  for (const name of names) Reflect.deleteProperty(rest, name)
  return rest as Omit<T, Name>
}

/** Checks the options of `prune` and returns the time in milliseconds since 1970. */
export function pruneTime(owner: string, options: { readonly before: Date }): number {
  const before: unknown = isRecord(options) ? options.before : undefined
  // Unlike `instanceof`, the tag also recognises a date of another realm.
  const time = Object.prototype.toString.call(before) === '[object Date]' ? Number(before) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new ConfigurationError(`${owner}: prune requires { before } with a valid Date; nothing was deleted`)
}
