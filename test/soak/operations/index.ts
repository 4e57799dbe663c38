import type { Catalogue } from '../catalogue.js'
import type { Session } from '../session.js'
import { findReferral, newestReferrals, readCatalogues, readCentres, walkResults } from './lists.js'
import { placeOrder, recoverOrder } from './orders.js'
import { requestRouting, retireProvider, saveProvider, updateProvider } from './providers.js'
import {
  deleteReferral,
  readReferralDocument,
  readResult,
  retrieveReferral,
  updateReferral,
} from './referrals.js'
import { listWebhooks, pause, subscribe, unsubscribe } from './webhooks.js'

/** An operation of a session, and its weight. */
interface Operation {
  readonly run: (session: Session, catalogue: Catalogue) => Promise<void>
  readonly weight: number
}

export const OPERATIONS: readonly Operation[] = [
  { run: placeOrder, weight: 28 },
  { run: recoverOrder, weight: 4 },
  { run: retrieveReferral, weight: 16 },
  { run: updateReferral, weight: 14 },
  { run: deleteReferral, weight: 5 },
  { run: readResult, weight: 8 },
  { run: readReferralDocument, weight: 7 },
  { run: newestReferrals, weight: 4 },
  { run: findReferral, weight: 4 },
  { run: walkResults, weight: 1 },
  { run: readCentres, weight: 2 },
  { run: readCatalogues, weight: 10 },
  { run: subscribe, weight: 5 },
  { run: pause, weight: 4 },
  { run: unsubscribe, weight: 3 },
  { run: listWebhooks, weight: 1 },
  { run: saveProvider, weight: 4 },
  { run: updateProvider, weight: 4 },
  { run: retireProvider, weight: 2 },
  { run: requestRouting, weight: 3 },
]
