import { ConfigurationError } from './configuration-error.js'

/** Tells an object of options or filters from a list, a signal, `Headers` and the like; what a module exports is one. */
export function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  // Nearly all are plain: their text costs more than all else that is checked of them.
  return (
    Object.getPrototypeOf(value) === Object.prototype ||
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
