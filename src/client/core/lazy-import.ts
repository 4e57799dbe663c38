import { ConfigurationError } from '../errors/errors.js'

/**
 * What is loaded only when it is needed. Node remembers for good that many a file could not be loaded, whatever comes of
 * it later.
 *
 * @throws {@link ConfigurationError} when it cannot be loaded.
 */
export async function loaded<T>(code: Promise<T>): Promise<T> {
  try {
    return await code
  } catch (cause) {
    throw new ConfigurationError(
      'code of pathology-sdk or of a dependency could not be loaded; nothing was sent. The cause says why: files ' +
        'removed while the process ran, no file descriptors left, a bundle without require. Restart it; client.warmUp() loads everything ahead',
      { code: 'MODULE_LOAD_FAILED', cause },
    )
  }
}
