import { setTimeout as sleep } from 'node:timers/promises'
import { ORDER_KEY_FIELD } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import pg from 'pg'
import { withPostgres } from '../../support/postgres.js'
import { withRedis } from '../../support/redis.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import type { Dice } from '../dice.js'
import { Fleet } from './fleet.js'
import { ServiceFront } from './front.js'
import { LedgerFaults, type LedgerServer } from './ledger-faults.js'
import { openLedger } from './ledgers.js'
import { Orders } from './orders.js'
import type { LedgerKind, MemberSettings } from './protocol.js'
import type { StageRecord } from './verdict.js'

const HOUR_MS = 3_600_000

/** Time limit of a call, and the shortest time that the client accepts for `resendAfter`. */
const TIMEOUT_MS = 4_000
const RESEND_MS = TIMEOUT_MS + 60_000

/** Time for which clients look an order up after it must have appeared. */
const EXTRA_RECOVERY_MS = 1_500

/** Phase of the run with one ledger. */
export interface StageOptions {
  readonly kind: LedgerKind
  readonly processes: number
  readonly orders: number
  /** Whether the clients send an order again whose outcome stays unknown. */
  readonly mayResend: boolean
  readonly mayStop: boolean
  readonly mostVisits: number
  /** Longest time until an order appears. */
  readonly slowestMs: number
  /** Longest lease of a claim: the time after which an order of a dead process is taken over. */
  readonly longestLeaseMs?: number
  readonly program: string
  readonly dice: Dice
}

export interface StageReport extends StageRecord {
  readonly interruptions: ReadonlyMap<string, number>
  readonly ledgerFaults: ReadonlyMap<string, number>
}

/** Starts the ledger's server; `undefined` where it cannot run. */
export async function startServer(kind: LedgerKind): Promise<LedgerServer | undefined> {
  return kind === 'postgres' ? withPostgres() : withRedis({ isDurable: true })
}

/**
 * Lets the processes place orders with kills, stops and disturbances, and then undisturbed until each order
 * is placed.
 */
export async function runStage(options: StageOptions, server: LedgerServer): Promise<StageReport> {
  const { kind, processes, mayResend, mayStop, mostVisits, slowestMs, longestLeaseMs, program, dice } =
    options
  await using fake = await FakePathologyService.start({
    port: 0,
    centreCount: 1,
    seedReferrals: 0,
    sendWebhooks: false,
    journalLimit: 100,
  })
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  await using front = await ServiceFront.start(new URL(baseUrl).origin, slowestMs, dice.fork())
  await using proxy = await startTcpProxy(server.url)
  const own = await openLedger({ kind, url: server.url, library: 'node-redis' })
  await own.ledger.setup()
  if (kind === 'postgres') await vouchSinceYesterday(server.url)

  const settingsOf = (index: number): MemberSettings => ({
    client: {
      ...{ baseUrl: front.url, authUrl, clientId, clientSecret },
      ...{ timeout: TIMEOUT_MS, orderRecoveryTimeout: slowestMs + EXTRA_RECOVERY_MS },
      ...(mayResend && { resendAfter: RESEND_MS }),
    },
    ledger: { kind, url: proxy.url, library: index % 2 === 0 ? 'ioredis' : 'node-redis' },
    clockShiftMs: ((index % 3) - 1) * HOUR_MS,
    ...(longestLeaseMs !== undefined && { longestLeaseMs }),
  })
  const orders = new Orders(options)
  const fleet = new Fleet({
    ...{ program, size: processes, dice: dice.fork(), mayStop, mostVisits, settingsOf },
    onReport: (report) => orders.reported(report),
    onInterruption: (jobs) => orders.interrupted(jobs),
  })
  await fleet.start()
  const ledgerFaults = new LedgerFaults(server, proxy, dice.fork())
  await orders.run(fleet, () => orders.isFirstRoundOver)
  await ledgerFaults.stop()
  fleet.stopInterruptions()
  await front.stopDelays()
  orders.endDisturbances()
  await orders.run(fleet, () => orders.isOver)
  const settled = orders.unknown()
  const placed = placedOrders(fake)
  for (const key of settled) {
    const uuids = placed.get(key)
    await own.ledger.resolve(key, uuids === undefined ? 'not-placed' : { placed: uuids })
    if (uuids !== undefined) orders.problems.push(`${key}: placed, but ${orders.lastError(key)}`)
  }
  orders.again(settled)
  await orders.run(fleet, () => orders.isOver)
  await sleep(200)
  await fleet.close()
  await own.close()
  return {
    ...{ keys: orders.keys, reports: orders.reports, settled, placed: placedOrders(fake) },
    sendings: front.sendings,
    problems: [...orders.problems, ...fleet.problems],
    interruptions: fleet.interruptions,
    ledgerFaults: ledgerFaults.counts,
  }
}

function placedOrders(fake: FakePathologyService): Map<string, string[]> {
  const placed = new Map<string, string[]>()
  for (const { uuid, metadata } of fake.referrals.all()) {
    const key = String(metadata?.[ORDER_KEY_FIELD])
    placed.set(key, [...(placed.get(key) ?? []), uuid])
  }
  return placed
}

/** The ledger behaves as if it had been set up yesterday, so it vouches for every key of the run. */
async function vouchSinceYesterday(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`UPDATE pathology_order_ledger SET ends_at = now() - interval '25 hours' WHERE key = ''`)
  await client.end()
}
