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

/**
 * Checks the names of options. Throws a {@link ConfigurationError} in three cases:
 *
 * - `options` is not an object, or is a list, a signal or another built-in object.
 * - An option is unknown, such as a misspelt `orderKey`.
 * - A known option would not be read, because it is inherited or not enumerable, such as a getter of a class.
 *
 * Without `names`, only the first case is checked.
 */
export function refuseUnknown(owner: string, options: unknown, names?: ReadonlySet<string>): void {
  if (!isRecord(options)) throw new ConfigurationError(`the options of ${owner} must be an object`)
  if (names === undefined) return
  const own = Object.keys(options)
  const unknown = own.find((name) => !names.has(name))
  if (unknown !== undefined) {
    const meant = similarName(unknown, names)
    const shown = OPTION_NAME.test(unknown) ? unknown : 'a given name (not shown, because it could be data)'
    throw new ConfigurationError(
      `${shown} is not an option of ${owner}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    )
  }
  if (isPlain(options)) return
  // A polluted `Object.prototype` has no effect.
  const isUnread = (name: string): boolean =>
    name in options && !own.includes(name) && !(name in Object.prototype)
  const unread = [...names].find(isUnread)
  if (unread !== undefined)
    throw new ConfigurationError(`${unread} of ${owner} must be an own, enumerable property`)
}

/** Names that an error message may show. Any other text could be data that was passed by mistake. */
export const OPTION_NAME = /^[a-z][A-Za-z0-9]{0,39}$/

/**
 * Returns a copy of the own properties of options, without a prototype. A polluted `Object.prototype` then has no
 * effect, and the caller may change the object later.
 *
 * @param unreadable - Creates the error for an option whose getter throws.
 * @throws {@link ConfigurationError} in these cases:
 * - `options` is not an object.
 * - An option is not in `names`.
 * - An option in `names` is inherited or not enumerable.
 */
export function ownOptions<T extends object>(
  owner: string,
  options: T,
  names?: ReadonlySet<string>,
  unreadable = (name: string): Error => new ConfigurationError(`${name} of ${owner} could not be read`),
): T {
  refuseUnknown(owner, options, names)
  const own: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(options)) {
    try {
      own[name] = Reflect.get(options, name)
    } catch {
      throw unreadable(OPTION_NAME.test(name) ? name : 'an option')
    }
  }
  return own as T
}

/** Returns a copy of options without the options in `names`. The copy has no prototype. */
export function without<T extends object, Name extends keyof T & string>(
  options: T,
  ...names: readonly Name[]
): Omit<T, Name> {
  const rest: object = Object.assign(Object.create(null), options)
  for (const name of names) Reflect.deleteProperty(rest, name)
  return rest as Omit<T, Name>
}

/** Returns a copy of options in which the values of `set` are added or replaced. The copy has no prototype. */
export function withSet<T extends object>(options: T, set: Partial<T>): T {
  return Object.assign(Object.create(null), options, set)
}

/** Copies a value that {@link isRecord} accepts; the copy has no prototype. Returns any other value unchanged. */
export function ownFields<T>(value: T): T {
  return isRecord(value) ? withSet(value, {}) : value
}

/** Checks the options of `prune` and returns the time in milliseconds since 1970. */
export function pruneTime(owner: string, options: { readonly before: Date }): number {
  const before: unknown = isRecord(options) ? options.before : undefined
  // Unlike `instanceof`, the tag also recognises a date of another realm.
  const time = Object.prototype.toString.call(before) === '[object Date]' ? Number(before) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new ConfigurationError(`${owner}: prune requires { before } with a valid Date; nothing was deleted`)
}
