import { ignore } from '../../common/errors.js'
import { loaded } from '../../common/lazy-import.js'
import type { Reconciler } from '../call/api-client.js'

type Reconcilers = typeof import('./reconcilers.js')

export function loadReconcilers(): Promise<Reconcilers> {
  return loaded(import('./reconcilers.js'))
}

/**
 * Loads the lookup of a write. The call waits for it before it sends the write: what loses a response, such as a lack
 * of file descriptors, can also prevent loading.
 */
export function reconciler(create: (code: Reconcilers) => Reconciler): Promise<Reconciler> {
  const loading = loadReconcilers().then(create)
  // A call that is rejected earlier does not wait.
  loading.catch(ignore)
  return loading
}
