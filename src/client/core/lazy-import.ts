import { ConfigurationError } from '../errors/errors.js'

/**
 * Waits for a dynamic import. Node caches a failed import for the life of the process.
 *
 * @throws {@link ConfigurationError} with the code `MODULE_LOAD_FAILED`.
 */
export async function loaded<T>(code: Promise<T>): Promise<T> {
  try {
    return await code
  } catch (cause) {
    throw new ConfigurationError(
      'a module of pathology-sdk or of a dependency failed to load; nothing was sent. See the cause: files were ' +
        'removed while the process ran, no file descriptor was free, or a bundle has no require. Restart the process; client.warmUp() loads all modules in advance',
      { code: 'MODULE_LOAD_FAILED', cause },
    )
  }
}
