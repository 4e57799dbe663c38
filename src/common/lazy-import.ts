import { ConfigurationError } from './errors.js'

/** Modules, or an object that needs them, loaded on first use. The next use repeats a load that failed. */
export class Lazy<T> {
  /** The loaded value; `undefined` until it is loaded. */
  value: T | undefined
  readonly #load: () => Promise<T>
  #loading: Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** The load in progress, or its result; `undefined` before the first use and after a failure. */
  get loading(): Promise<T> | undefined {
    return this.#loading
  }

  /** Returns the loaded value. Starts the load, or waits for the load in progress. */
  load(): Promise<T> {
    this.#loading ??= loaded(this.#load()).then(
      (value) => {
        this.value = value
        return value
      },
      (error: unknown) => {
        this.#loading = undefined
        throw error
      },
    )
    return this.#loading
  }
}

/**
 * Waits for a dynamic import.
 *
 * @param message - Message of the error. The default advises a restart, because Node caches a failed import for the
 * life of the process. A built-in module that Node does not have gets a message about bundlers instead.
 * @throws {@link ConfigurationError} with the code `MODULE_LOAD_FAILED` if the import fails.
 */
export async function loaded<T>(code: Promise<T>, message = FAILED): Promise<T> {
  try {
    return await code
  } catch (cause) {
    const text = isMissingBuiltin(cause) ? BUNDLED_BUILTIN : message
    throw new ConfigurationError(text, { code: 'MODULE_LOAD_FAILED', cause })
  }
}

const FAILED =
  'a module of pathology-sdk or of a dependency failed to load; nothing was changed. The cause has the reason, such ' +
  'as files that were removed while the process ran, too many open files, or a bundle without require. Restart the ' +
  'process; client.warmUp() loads all modules in advance'

/**
 * Message for a program whose bundler has changed undici's optional `require` of a module to an import. The import
 * fails if Node does not have the module.
 */
const BUNDLED_BUILTIN =
  'the bundle of this program imports a module that this release of Node does not have; nothing was changed. Leave ' +
  "undici out of the bundle (external), or keep its require of 'node:sqlite' (Rollup: " +
  "commonjs({ ignore: ['node:sqlite'] }), Vite: build.commonjsOptions.ignore); " +
  'see the guide "Bundling"'

function isMissingBuiltin(cause: unknown): boolean {
  return cause instanceof Error && Reflect.get(cause, 'code') === 'ERR_UNKNOWN_BUILTIN_MODULE'
}
