import { readable } from './scrub.js'

/** An error of the platform, without what it carries along: pieces of answers, certificates, sockets. */
class PlatformError extends Error {
  readonly code: string | undefined

  constructor(name: string, message: string, code: string | undefined, cause: Error | undefined) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = name
    this.code = code
    this.stack = `${name}: ${message}`
  }
}

const DEEPEST = 3

/** What may be shown of the error underneath a broken exchange: its name, its code and its words, scrubbed. */
export function safeCause(error: unknown, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > DEEPEST) return undefined
  const code: unknown = Reflect.get(error, 'code')
  const words = readable(error.message, undefined) ?? ''
  return new PlatformError(
    error.name,
    words,
    typeof code === 'string' ? code : undefined,
    safeCause(error.cause, depth + 1),
  )
}
