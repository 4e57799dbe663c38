import { PathologyError, type PathologyErrorName } from './errors.js'

/** Something was set up wrongly. Nothing was sent; the message names the option and its rule. */
export class ConfigurationError extends PathologyError {
  override readonly name: PathologyErrorName = 'ConfigurationError'
}
