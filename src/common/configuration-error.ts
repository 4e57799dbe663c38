import { PathologyError } from './errors.js'

/**
 * Something was set up wrongly. Nothing was sent; the message names the option and its rule. With the code
 * `MODULE_LOAD_FAILED`, a part of this package or of a dependency could not be loaded: `cause` says which.
 */
export class ConfigurationError extends PathologyError {
  override readonly name = 'ConfigurationError'
}
