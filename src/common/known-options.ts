import { ConfigurationError } from './configuration-error.js'

/** Tells an object of options or filters from a list, a signal, `Headers` and the like; what a module exports is one. */
export function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  // Nearly all are plain: their text costs more than all else that is checked of them.
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === Object.prototype ||
    prototype === null ||
    /^\[object (Object|Module)\]$/.test(Object.prototype.toString.call(value))
  )
}

/** The known name that differs from `name` in nothing but its case. */
export function inOtherCase(name: string, known: Iterable<string>): string | undefined {
  return [...known].find((other) => other !== name && other.toLowerCase() === name.toLowerCase())
}

/** A misspelt `orderKey` or `timeout` must not pass unnoticed, nor a bare signal; and `null` is no default. */
export function refuseUnknown(owner: string, options: unknown, names?: ReadonlySet<string>): void {
  if (!isRecord(options)) throw new ConfigurationError(`the options of ${owner} must be an object`)
  const stranger = names && Object.keys(options).find((name) => !names.has(name))
  if (stranger === undefined) return
  const meant = inOtherCase(stranger, names ?? [])
  const shown = OPTION_NAME.test(stranger) ? stranger : 'a name that is not shown here'
  throw new ConfigurationError(
    `${shown} is not an option of ${owner}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  )
}

/** Another name may be a value that came to stand in the place of a name. */
const OPTION_NAME = /^[a-z][A-Za-z0-9]{0,39}$/

/**
 * Returns a copy of options that holds their own properties and inherits nothing: a polluted `Object.prototype` sets no
 * option, and the caller may change the object later.
 *
 * @param unreadable - Makes the error for an option whose getter throws.
 * @throws {@link ConfigurationError} when they are not an object, or one of them is not in `names`.
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

/** Returns a copy of own options without some of them. It inherits nothing either. */
export function without<T extends object, Name extends keyof T & string>(
  options: T,
  ...names: readonly Name[]
): Omit<T, Name> {
  const rest: object = Object.assign(Object.create(null), options)
  for (const name of names) Reflect.deleteProperty(rest, name)
  return rest as Omit<T, Name>
}

/** Returns a copy of own options with some of them set. It inherits nothing either. */
export function withSet<T extends object>(options: T, set: Partial<T>): T {
  return Object.assign(Object.create(null), options, set)
}

/** Returns a copy of an object that inherits nothing; any other value as it is. */
export function ownFields<T>(value: T): T {
  return isRecord(value) ? withSet(value, {}) : value
}
