import type { CallContext } from '../call/api-client.js'
import { EntryChanges, HeldClaim } from './claims.js'
import { fingerprintWith } from './fingerprint.js'
import type { LedgerSettings } from './ledger-options.js'
import { LedgerSession } from './ledger-session.js'
import { memoryOrderLedger } from './memory-order-ledger.js'
import type { OrderName } from './order-ledger.js'

/** The client's side of its order ledger. */
export interface Ledger {
  readonly session: LedgerSession
  readonly hold: (claim: ConstructorParameters<typeof HeldClaim>[1]) => HeldClaim
  readonly changesOf: (name: OrderName) => EntryChanges
}

/** Opens the ledger of a client. This file and what it imports are loaded with the first order that has a key. */
export function openLedger(settings: LedgerSettings, { options, logger }: CallContext): Ledger {
  const { ledger, namespace, fingerprintKey } = settings
  const { clock, clientSecret } = options
  const session = new LedgerSession(
    {
      ledger: ledger ?? memoryOrderLedger({ clock }),
      isPrivate: ledger === undefined,
      namespace,
      fingerprintOf: fingerprintWith(fingerprintKey, clientSecret),
    },
    { options, logger },
  )
  return {
    session,
    hold: (claim) => new HeldClaim(session, claim, clock),
    changesOf: (name) => new EntryChanges(session, name, options),
  }
}
