import { type Bundle, resultBundle, transaction } from 'pathology-sdk/fhir'
import type { ChangeHandlers } from 'pathology-sdk/mirror'

/** Root of the identifier systems. Use your own, and never change it. */
const BASE = 'https://clinic.example/pathology'

/**
 * Stores each state of a result in a FHIR store. A change can be handled twice; the transaction then writes the same
 * resources again. Results that your organisation holds back stay out of the store until they are released.
 */
export function storeResults(send: (transaction: Bundle) => Promise<unknown>): ChangeHandlers {
  return {
    result: async ({ result }) => {
      if (result === null || result.status === 'IN_REVIEW') return
      await send(transaction(resultBundle(result, { base: BASE, include: ['deleted'] }).bundle))
    },
  }
}
