import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { ManagedOrderLedger, OrderResolution } from '../../src/client/index.js'

const TAKEN_OVER = 'a claim = new; a mark 1; wait; b claim = sent of a'

/**
 * Statements about one entry by the claims a, b and so on, and by a person who resolves it, with what each returns
 * (default: `true`). `wait` ends the leases, except `long` ones.
 */
export const LEDGER_SEQUENCES: Readonly<Record<string, string>> = {
  'a claim holds the entry, with its fingerprint': 'a claim = new; b claim = busy of a',
  'a marked entry is busy too during its lease': 'a claim = new; a mark 1; b claim = busy of a',
  'a claim without a mark is new again after its lease, with the fingerprint of the next claim':
    'a claim = new; wait; b claim = new; c claim = busy of b',
  'a marked entry is sent after its lease: one claim takes it over and keeps the fingerprint':
    'a claim = new; a mark 1; wait; b claim = sent of a; c claim = busy of a',

  'a renewal extends the lease': 'a claim = new; a renew long; wait; b claim = busy of a',
  'a mark extends the lease': 'a claim = new; a mark 1 long; wait; b claim = busy of a',
  'a token may mark and renew after its lease, if no other claim took the entry over':
    'a claim = new; wait; a mark 1; wait; a renew long; b claim = busy of a',
  'an entry whose only mark was removed is new after its lease; the claim keeps it until then':
    'a claim = new; a mark 1; a unmark 1; a renew long; b claim = busy; a renew; wait; b claim = new',
  'removing one mark keeps the other':
    'a claim = new; a mark 1; a mark 2; a unmark 1; wait; b claim = sent of a',
  'a mark replaces an earlier one':
    'a claim = new; a mark 1; a mark 2 for 1; a unmark 2; wait; b claim = new',

  'a placed entry returns its referrals and its fingerprint to each claim':
    'a claim = new; a mark 1; a record x y; b claim = placed of a: x y; c claim = placed of a: x y',
  'a claim that did not mark can record the order that it found': `${TAKEN_OVER}; b record x; c claim = placed of a: x`,
  'an unknown outcome ends the lease: the entry is sent at once':
    'a claim = new; a mark 1; a record unknown; b claim = sent of a',
  'an unknown outcome without a mark makes the entry new': 'a claim = new; a record unknown; b claim = new',
  'an order that was not placed makes the entry new, with other contents too':
    'a claim = new; a mark 1; a record not-placed; b claim = new; c claim = busy of b',

  'a token whose entry was taken over can no longer mark, renew or end it': `${TAKEN_OVER}; a mark 2 = false; a renew = false; a record unknown = false; c claim = busy; b record unknown; c claim = sent of a`,
  'a token that marked a sending records the order after its entry was taken over': `${TAKEN_OVER}; a record x; b mark 2 = false; c claim = placed: x`,
  'a token that was recorded as not placed records no order after the next claim':
    'a claim = new; a mark 1; a record not-placed; b claim = new; a record x = false; c claim = busy',
  'a token that marked a sending records the order after the next one was not placed': `${TAKEN_OVER}; b mark 2; b record not-placed; c claim = sent; a record x; d claim = placed: x`,
  'a token that marked nothing changes nothing after its entry was taken over':
    'a claim = new; wait; b claim = new; a record x = false; a record not-placed = false; a unmark 1 = false; c claim = busy',
  'unmark of a token whose entry was taken over removes its marks, and the later claim continues': `${TAKEN_OVER}; a unmark 1; c claim = busy; b record unknown; c claim = new`,
  'not-placed of a token whose entry was taken over removes its marks, and the later claim continues': `${TAKEN_OVER}; a record not-placed; c claim = busy; b record unknown; c claim = new`,
  'unmark of a token whose entry was taken over keeps the mark of the later claim': `${TAKEN_OVER}; b mark 2; a unmark 2; a unmark 1; b record unknown; c claim = sent of a`,
  'not-placed of a token whose entry was taken over keeps the mark of the later claim': `${TAKEN_OVER}; b mark 2; a unmark 2; a record not-placed; b record unknown; c claim = sent of a`,
  'no statement changes a placed entry':
    'a claim = new; a mark 1; a record x; a mark 2 = false; a unmark 1 = false; a renew = false; a record not-placed = false; a record unknown = false; resolve not-placed = false; a record y; b claim = placed: x',
  'a token has no effect after it has recorded an unknown outcome':
    'a claim = new; a record unknown; a mark 1 = false; a renew = false; b claim = new',
  'a token has no effect after it has recorded that the order was not placed':
    'a claim = new; a record not-placed; a mark 1 = false; a renew = false; b claim = new',
  'statements about an entry that does not exist return false and create none':
    'a mark 1 = false; a unmark 1 = false; a renew = false; a record x = false; resolve x = false; a claim = new',

  'a repeated claim returns the same state': 'a claim = new; a claim = new',
  'a repeated claim that took the entry over returns the same state': `${TAKEN_OVER}; b claim = sent of a`,
  'a repeated claim extends its lease': 'a claim = new; a claim long = new; wait; b claim = busy',
  'a claim that is repeated after its mark is new': 'a claim = new; a mark 1; a claim = new',
  'a repeated order changes nothing':
    'a claim = new; a mark 1; a record x y; a record x y; b claim = placed: x y',
  'a repeated not-placed changes nothing': `${TAKEN_OVER}; b record not-placed; b record not-placed = any; c claim = sent`,
  'a repeated unmark changes nothing':
    'a claim = new; a mark 1; a unmark 1; a mark 2; a unmark 1 = any; wait; b claim = sent',

  'an entry that was taken over is recorded manually as placed': `${TAKEN_OVER}; resolve x; c claim = placed of a: x`,
  'a marked entry is recorded manually as placed during its lease':
    'a claim = new; a mark 1; resolve x; b claim = placed of a: x',
  'an entry without a mark is recorded manually as placed during its lease':
    'a claim = new; resolve x; b claim = placed of a: x',
  'an entry that is recorded manually as not placed is new, and its claim is over': `${TAKEN_OVER}; resolve not-placed; b mark 2 = false; c claim = new; a record x; d claim = placed: x`,
  'the referrals of a placed entry are completed, each once':
    'a claim = new; a mark 1; resolve x; resolve y; resolve x y; b claim = placed: x y',
}

/** Leases in milliseconds. */
const SHORT_MS = 80
const LONG_MS = 60_000

/** UUIDs of referrals, by their names in statements. */
export const REFERRALS = { x: randomUUID(), y: randomUUID() }

/** Runs a sequence on a new entry, and checks what each statement returns. */
export async function runSequence(
  ledger: ManagedOrderLedger,
  sequence: string,
  advance: (ms: number) => Promise<void> | void,
): Promise<void> {
  const run = entryOf(ledger)
  const statements = sequence.split('; ')
  for (const [at, statement] of statements.entries()) {
    if (statement === 'wait') {
      await advance(SHORT_MS + 40)
      continue
    }
    const [call = '', expected = 'true'] = statement.split(' = ')
    const isShort = !call.endsWith(' long') && statements.includes('wait', at)
    const returned = await run(call.replace(' long', ''), isShort ? SHORT_MS : LONG_MS)
    if (expected !== 'any')
      expect({ statement, returned }).toMatchObject({ statement, returned: returnOf(expected) })
  }
}

/** Returns a function that runs one statement on a new entry of a ledger. */
export function entryOf(ledger: ManagedOrderLedger): (call: string, leaseMs: number) => Promise<unknown> {
  const name = { namespace: 'sequences', key: `order ${randomUUID()}` }
  const ids = new Map<string, string>()
  const idOf = (word = ''): string => {
    ids.set(word, ids.get(word) ?? randomUUID())
    return ids.get(word) ?? ''
  }
  return (call, leaseMs) => {
    const [who = '', verb, ...args] = call.split(' ')
    if (who === 'resolve') return ledger.resolve(name, outcomeOf(call.replace('resolve ', '')))
    const token = idOf(who)
    const mark = idOf(args[0])
    switch (verb) {
      case 'claim':
        return ledger.claim(name, { token, leaseMs, fingerprint: { keyId: who, hash: who } })
      case 'mark':
        return ledger.mark(name, {
          token,
          mark,
          leaseMs,
          ...(args[2] !== undefined && { replaces: idOf(args[2]) }),
        })
      case 'unmark':
        return ledger.unmark(name, { token, mark })
      case 'renew':
        return ledger.renew(name, { token, leaseMs })
      default:
        return ledger.record(name, {
          token,
          outcome: args[0] === 'unknown' ? 'unknown' : outcomeOf(args.join(' ')),
        })
    }
  }
}

function outcomeOf(text: string): OrderResolution {
  return text === 'not-placed' ? text : { placed: uuidsOf(text) }
}

function uuidsOf(text: string): string[] {
  return text.split(' ').map((word) => new Map(Object.entries(REFERRALS)).get(word) ?? word)
}

/** What a statement returns: `true`, `false`, or the state of a claim, such as `placed of a: x y`. */
function returnOf(expected: string): unknown {
  if (expected === 'true' || expected === 'false') return expected === 'true'
  const [, state, keyId, referrals] = /^([a-z]+)(?: of (\w))?(?:: (.+))?$/.exec(expected) ?? []
  return {
    ...{ state, isMarked: false },
    ...(keyId !== undefined && { fingerprint: { keyId, hash: keyId } }),
    ...(referrals !== undefined && { referrals: uuidsOf(referrals) }),
  }
}
