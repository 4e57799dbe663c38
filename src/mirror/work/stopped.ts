import { PathologyError } from '../../common/errors.js'

/** Returns the error of a call that `stop` ended. */
export function stoppedError(): PathologyError {
  return new PathologyError(
    'The mirror was stopped. Unfinished work stays due, and runs after the next start.',
    {
      code: 'MIRROR_STOPPED',
    },
  )
}
