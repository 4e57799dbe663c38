import {
  type ClientOptions,
  type LedgerClaim,
  memoryOrderLedger,
  type Order,
  type OrderClaimRequest,
  type OrderFingerprint,
  type OrderLedger,
  type OrderName,
  PathologyClient,
} from 'pathology-sdk'
import { type FakeOptions, FakePathologyService } from 'pathology-sdk/testing'
import { onTestFinished } from 'vitest'
import { resolveLedgerOptions } from '../../../src/client/orders/ledger-options.js'
import { LedgerSession } from '../../../src/client/orders/ledger-session.js'
import { resolveOptions } from '../../../src/client/resolve-options.js'
import { SafeLogger } from '../../../src/common/logger.js'
import { order, PROVIDER_NUMBER } from '../../support/samples.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'

export const POST = 'POST /v1/referrals'
export const KEY = 'job-77'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

/** Clocks run ten times as fast: two seconds for the ledger are 200 ms. */
const SPEED = 10

/** An order of a test that the fake has. */
export const labOrder = (change: Partial<Order> = {}): Order => order({ tests: ['tsh'], ...change })

/** The fake over HTTP, a ledger that the clients share, and its clock. */
export async function ledgerWorld(options: FakeOptions = {}) {
  const fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0, ...options })
  onTestFinished(() => fake.close())
  const ledgerClock = new ShiftedClock()
  const inner = memoryOrderLedger({ clock: ledgerClock })
  const ledger = new WatchedLedger(inner)
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const warnings: string[] = []
  /** A client like that of a separate process, except for the shared ledger. */
  const newProcess = (more: ClientOptions = {}) => {
    const client = new PathologyClient({
      ...{ baseUrl, authUrl, clientId, clientSecret, orderLedger: ledger },
      clock: new ShiftedClock({ speed: SPEED }),
      logger: { warn: (message: string) => warnings.push(message) },
      ...more,
    })
    onTestFinished(() => client.close())
    return client
  }
  const name = (key = KEY): OrderName => ({ namespace: `${new URL(baseUrl).origin} ${clientId}`, key })
  const requests = (route: string) =>
    fake.requests.filter(({ method, path }) => `${method} ${path.split('?')[0]}` === route)
  return {
    fake,
    ledger,
    inner,
    ledgerClock,
    newProcess,
    name,
    warnings,
    requests,
    /** Number of referrals that the service holds. */
    placed: () => fake.referrals.all().length,
    lists: () => requests('GET /v1/referrals').length,
    /** Reads of single referrals. */
    reads: () => fake.requests.filter(({ path }) => /^\/v1\/referrals\/[^/]+$/.test(path)).length,
    posts: () => requests(POST).length,
    /** State that a claim finds now. The claim is ended at once. */
    async state(key = KEY) {
      const token = crypto.randomUUID()
      const found = await inner.claim(name(key), { token, leaseMs: 1_000, fingerprint: NO_FINGERPRINT })
      if (found.state === 'new' || found.state === 'sent')
        await inner.record(name(key), { token, outcome: 'not-placed' })
      return found
    },
    /** An entry of a process that died, with or without a mark. */
    async died({ marked = true, key = KEY, agoMs = 20_000, fingerprint = NO_FINGERPRINT } = {}) {
      const token = crypto.randomUUID()
      await inner.claim(name(key), { token, leaseMs: 15_000, fingerprint })
      if (marked) await inner.mark(name(key), { token, mark: crypto.randomUUID(), leaseMs: 15_000 })
      ledgerClock.advance(agoMs)
      return token
    },
    /** The provider that Medicare orders require. */
    saveProvider: () =>
      newProcess().providers.save({
        ...{ providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' },
        encodedSignature: PNG,
      }),
  }
}

/** Changes a claim of the in-memory ledger into one of a ledger that vouches for every key. */
export async function vouched(ledger: OrderLedger, name: OrderName, found: unknown, request: unknown) {
  const { token, mark = '', leaseMs } = request as OrderClaimRequest
  const claim = found as LedgerClaim
  if (claim.state !== 'new') return claim
  await ledger.mark(name, { token, mark, leaseMs })
  return { ...claim, isMarked: true, isVouched: true }
}

/**
 * A session of a client whose clock only advances when the test says so, with a ledger of the same clock.
 *
 * @param isPrivate - `true` when the ledger is the client's own.
 */
export function ledgerSession({ isPrivate = false } = {}) {
  const clock = new SkippingClock({ skip: () => false })
  const inner = memoryOrderLedger({ clock })
  const ledger = new WatchedLedger(inner)
  const account = { baseUrl: ORIGIN, authUrl: ORIGIN, clientId: 'client-1', clientSecret: 'secret-1' }
  const options = resolveOptions({ ...account, clock }, {})
  const resolved = resolveLedgerOptions({ orderLedger: ledger }, options)
  const warnings: string[] = []
  const logger = new SafeLogger({ warn: (message) => warnings.push(message) })
  const session = new LedgerSession({ ...resolved, isPrivate }, { options, logger })
  return { session, clock, inner, ledger, warnings, name: session.nameOf(KEY) }
}

const ORIGIN = 'http://127.0.0.1:1'

/** Whether a promise has settled after all that can run without a timer. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  promise.then(settle, settle)
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return settled
}

/** Fingerprint of a key that no client knows: contents are compared with the referrals. */
export const NO_FINGERPRINT: OrderFingerprint = { keyId: 'another key', hash: 'another hash' }
