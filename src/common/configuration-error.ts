import { PathologyError } from './errors.js'

/**
 * An invalid option or environment. No request was sent; the message names the option and its rule. With the code
 * `MODULE_LOAD_FAILED`, a module of this package or of a dependency could not be loaded, and `cause` has the reason.
 */
export class ConfigurationError extends PathologyError {
  override readonly name = 'ConfigurationError'
}
