import { Redis } from 'ioredis'
import type { ManagedOrderLedger, OrderLedger } from 'pathology-sdk'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import { redisOrderLedger } from 'pathology-sdk/redis'
import pg from 'pg'
import { createClient } from 'redis'
import type { MemberSettings } from './protocol.js'

/** A ledger and its connection. */
export interface OpenLedger {
  readonly ledger: ManagedOrderLedger
  close(): Promise<void>
}

/** Time limit of the drivers, in milliseconds. */
const DRIVER_MS = 1_500

const ignore = (): void => undefined

/** Opens a ledger with the settings that the guide recommends. */
export async function openLedger({ kind, url, library }: MemberSettings['ledger']): Promise<OpenLedger> {
  if (kind === 'postgres') {
    const pool = new pg.Pool({
      connectionString: url,
      connectionTimeoutMillis: DRIVER_MS,
      query_timeout: DRIVER_MS,
      max: 5,
    })
    pool.on('error', ignore)
    return { ledger: postgresOrderLedger(pool), close: () => pool.end() }
  }
  if (library === 'ioredis') {
    const client = new Redis(url, {
      commandTimeout: DRIVER_MS,
      maxRetriesPerRequest: 1,
      retryStrategy: () => 100,
    })
    client.on('error', ignore)
    return { ledger: redisOrderLedger(client), close: async () => client.disconnect() }
  }
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 500,
    socket: { connectTimeout: DRIVER_MS, socketTimeout: DRIVER_MS, reconnectStrategy: 100 },
  })
  client.on('error', ignore)
  await client.connect()
  return { ledger: redisOrderLedger(client), close: async () => client.destroy() }
}

/** Ends the leases of a ledger after at most this time, so that the order of a dead process is taken over sooner. */
export function withShortLeases(inner: OrderLedger, longestMs: number): OrderLedger {
  const shorter = <T extends { readonly leaseMs: number }>(request: T): T => ({
    ...request,
    leaseMs: Math.min(request.leaseMs, longestMs),
  })
  return {
    claim: (name, request) => inner.claim(name, shorter(request)),
    mark: (name, request) => inner.mark(name, shorter(request)),
    renew: (name, request) => inner.renew(name, shorter(request)),
    unmark: (name, request) => inner.unmark(name, request),
    record: (name, request) => inner.record(name, request),
    resolve: (name, outcome) => inner.resolve(name, outcome),
    prune: (request) => inner.prune(request),
  }
}
