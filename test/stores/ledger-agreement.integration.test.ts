import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type ManagedOrderLedger, memoryOrderLedger, type OrderName } from 'pathology-sdk'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import { redisOrderLedger } from 'pathology-sdk/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withRedis } from '../support/redis.js'
import { openPGlite, type TestDatabase } from './postgres/clients.js'
import { REDIS_LIBRARIES, type TestConnection } from './redis/clients.js'

/** Statement about one entry. Its lease is over at once, or lasts for the whole test. */
type Statement = (ledger: ManagedOrderLedger, name: OrderName) => Promise<unknown>

const UUIDS = [1, 2, 3].map((last) => `0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f6${last}`)

const token = fc.constantFrom('token-1', 'token-2', 'token-3')
const mark = fc.constantFrom('mark-1', 'mark-2', 'mark-3')
const leaseMs = fc.constantFrom(0, 0, 600_000)
const referrals = fc.uniqueArray(fc.constantFrom(...UUIDS), { minLength: 1 })
const fingerprint = fc.record({ keyId: fc.constantFrom('k1', 'k2'), hash: fc.constantFrom('h1', 'h2') })

/** Every statement, in words and as a call. */
const statement = fc.oneof(
  fc
    .record({ token, leaseMs, fingerprint })
    .map((request) => said('claim', request, (ledger, name) => ledger.claim(name, request))),
  fc
    .record({ token, mark, replaces: fc.option(mark, { nil: undefined }), leaseMs })
    .map((request) => said('mark', request, (ledger, name) => ledger.mark(name, request))),
  fc
    .record({ token, mark })
    .map((request) => said('unmark', request, (ledger, name) => ledger.unmark(name, request))),
  fc
    .record({ token, leaseMs })
    .map((request) => said('renew', request, (ledger, name) => ledger.renew(name, request))),
  fc
    .record({
      token,
      outcome: fc.oneof(
        fc.constant('unknown' as const),
        fc.constant('not-placed' as const),
        referrals.map((placed) => ({ placed })),
      ),
    })
    .map((request) => said('record', request, (ledger, name) => ledger.record(name, request))),
  fc
    .oneof(
      fc.constant('not-placed' as const),
      referrals.map((placed) => ({ placed })),
    )
    .map((outcome) => said('resolve', outcome, (ledger, name) => ledger.resolve(name, outcome))),
)

function said(what: string, request: unknown, run: Statement) {
  return { run, toString: () => `${what} ${JSON.stringify(request)}` }
}

/** Responses of a ledger without its times. */
async function answersOf(ledger: ManagedOrderLedger, statements: readonly { readonly run: Statement }[]) {
  const name = { namespace: 'agreement', key: randomUUID() }
  const answers: unknown[] = []
  for (const { run } of statements) {
    answers.push(timeless(await run(ledger, name)))
    const [entry] = await ledger.list(name)
    answers.push(entry && [entry.state, entry.referrals, entry.lastSentAt !== undefined])
  }
  return answers
}

function timeless(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const { sinceFirstSentMs, sinceLastSentMs, fingerprint: found, ...rest } = Object(answer)
  // A new entry may or may not show its present fingerprint.
  return {
    ...rest,
    isTimed: rest.state === 'sent' && sinceFirstSentMs >= sinceLastSentMs,
    found: rest.state === 'new' ? undefined : found,
  }
}

const redis = await withRedis()
afterAll(() => redis?.stop())

describe('any statements of three claims have the same results in every ledger', () => {
  let database: TestDatabase
  let connection: TestConnection | undefined

  beforeAll(async () => {
    database = await openPGlite()
    await postgresOrderLedger(database.clients[0]).setup()
    connection = redis === undefined ? undefined : await REDIS_LIBRARIES[0]?.open(redis.url)
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await connection?.[Symbol.asyncDispose]()
  })

  async function agrees(other: () => ManagedOrderLedger): Promise<void> {
    const sequences = fc.asyncProperty(fc.array(statement, { maxLength: 30 }), async (statements) => {
      expect(await answersOf(other(), statements)).toEqual(await answersOf(memoryOrderLedger(), statements))
    })
    await fc.assert(sequences, { numRuns: 300, interruptAfterTimeLimit: 15_000 })
  }

  it(
    'any statements of three claims have the same results in memoryOrderLedger and postgresOrderLedger',
    () => agrees(() => postgresOrderLedger(database.clients[0])),
    120_000,
  )

  it.skipIf(redis === undefined)(
    'any statements of three claims have the same results in memoryOrderLedger and redisOrderLedger',
    () =>
      agrees(() =>
        redisOrderLedger(connection?.client ?? { eval: () => Promise.reject(new Error('no Redis')) }),
      ),
    120_000,
  )
})
