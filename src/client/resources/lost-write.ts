import { ignore } from '../../common/errors.js'
import type { Reconciler } from '../call/api-client.js'

type Reconcilers = typeof import('./reconcilers.js')

/** Loads the lookups of lost writes. */
export function loadReconcilers(): Promise<Reconcilers> {
  return import('./reconcilers.js')
}

/**
 * Returns the lookup of a write whose response is lost. Its code loads while the write is under way, because what cuts
 * a response off, such as a lack of file descriptors, also prevents loading. Without its code, the outcome is unknown.
 */
export function reconciler(create: (code: Reconcilers) => Reconciler): Reconciler {
  const loading = loadReconcilers()
  loading.catch(ignore)
  let lookUp: Reconciler | undefined
  return async (lost) => {
    lookUp ??= create(
      await loading.catch(() => {
        throw lost.toPublic()
      }),
    )
    return lookUp(lost)
  }
}
