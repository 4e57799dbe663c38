import {
  type ClientOptions,
  type LedgerClaim,
  type LedgerNames,
  memoryOrderLedger,
  type Order,
  type OrderClaimRequest,
  type OrderFingerprint,
  type OrderLedger,
  type OrderName,
  PathologyClient,
  type Referral,
} from 'pathology-sdk'
import { type FakeOptions, FakePathologyService } from 'pathology-sdk/testing'
import { onTestFinished } from 'vitest'
import { LedgerSession } from '../../../src/client/ledger/ledger-session.js'
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
  /** The same ledger with a namespace or a key of its own. */
  const named = (names: LedgerNames): OrderLedger => ({
    ...names,
    claim: (...given) => ledger.claim(...given),
    mark: (...given) => ledger.mark(...given),
    unmark: (...given) => ledger.unmark(...given),
    renew: (...given) => ledger.renew(...given),
    record: (...given) => ledger.record(...given),
    resolve: (...given) => ledger.resolve(...given),
    prune: (...given) => ledger.prune(...given),
  })
  return {
    fake,
    ledger,
    named,
    inner,
    ledgerClock,
    newProcess,
    /** Places an order that the shared ledger does not have. */
    placeElsewhere: (given: Order = labOrder(), key = KEY) =>
      newProcess({ orderLedger: undefined }).referrals.create(given, { orderKey: key }),
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
export function ledgerSession({ isPrivate = false, random = (): number => 0.5 } = {}) {
  const clock = new SkippingClock({ skip: () => false })
  const inner = memoryOrderLedger({ clock })
  const ledger = new WatchedLedger(inner)
  const account = { baseUrl: ORIGIN, authUrl: ORIGIN, clientId: 'client-1', clientSecret: 'secret-1' }
  const options = resolveOptions({ ...account, clock, random }, {})
  const warnings: string[] = []
  const logger = new SafeLogger({ warn: (message) => warnings.push(message) })
  const session = new LedgerSession({ ledger, namespace: 'clinic' }, { options, logger }, isPrivate)
  return { session, clock, inner, ledger, warnings, name: session.nameOf(KEY) }
}

const ORIGIN = 'http://127.0.0.1:1'

/** A stopped clock. Only the two seconds that a client waits for its ledger end at once, if the ledger does not respond. */
export const impatientClock = (): SkippingClock => new SkippingClock({ skip: (delayMs) => delayMs === 2_000 })

/** Closes a client with a stopped clock, which advances by the five seconds that closing may take. */
export async function closed(client: PathologyClient, clock: SkippingClock): Promise<void> {
  const closing = client.close()
  for (let second = 0; second <= 5 && !(await isSettled(closing)); second += 1) clock.advance(1_000)
  await closing
}

/** A fetch function that holds each order back, before it is sent or before its response is returned. */
export function holdingOrders(moment: 'before' | 'after') {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let held = 0
  const hold = (): Promise<void> => {
    held += 1
    return released
  }
  const holding = async (input: string, init: RequestInit): Promise<Response> => {
    if (init.method !== 'POST' || !input.endsWith('/v1/referrals')) return fetch(input, init)
    if (moment === 'before') await hold()
    const response = await fetch(input, init)
    if (moment === 'after') await hold()
    return response
  }
  return { fetch: holding, release: () => release(), held: () => held }
}

/** A fetch function that changes each referral of a response, alone or in a list. */
export function changingReferrals(change: (referral: Referral) => Partial<Referral>) {
  return async (input: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(input, init)
    if (init.method !== 'GET' || !new URL(input).pathname.startsWith('/v1/referrals')) return response
    const body = (await response.json()) as Referral | { referrals: Referral[] }
    const changed = (referral: Referral) => ({ ...referral, ...change(referral) })
    const shown = 'referrals' in body ? { ...body, referrals: body.referrals.map(changed) } : changed(body)
    return Response.json(shown, { headers: { date: response.headers.get('date') ?? '' } })
  }
}

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
