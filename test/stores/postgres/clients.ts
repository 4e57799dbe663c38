import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { PostgresClient } from 'pathology-sdk/postgres'
import pg from 'pg'
import { createPGliteFolder } from '../../support/pglite.js'
import type { RunningPostgres } from '../../support/postgres.js'

/** A database with two connections, as two processes have them. */
export interface TestDatabase extends AsyncDisposable {
  readonly clients: readonly [PostgresClient, PostgresClient]
}

/** Every kind of client that the stores in Postgres support. */
export interface PostgresKind {
  readonly kind: string
  open(): Promise<TestDatabase>
}

/** The kinds that run here. PGlite needs no server. */
export function postgresKinds(server: RunningPostgres | undefined): readonly PostgresKind[] {
  const pglite: PostgresKind = { kind: 'PGlite', open: openPGlite }
  if (server === undefined) return [pglite]
  return [
    { kind: 'a pg Pool', open: () => openPools(server.url) },
    { kind: 'a pg Client', open: () => openClients(server.url) },
    pglite,
  ]
}

async function openPools(url: string): Promise<TestDatabase> {
  const pools = [0, 1].map(() => new pg.Pool({ connectionString: url, max: 25 }))
  return database(pools, () => Promise.all(pools.map((pool) => pool.end())))
}

async function openClients(url: string): Promise<TestDatabase> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  return database(clients, () => Promise.all(clients.map((client) => client.end())))
}

export async function openPGlite(): Promise<TestDatabase & { readonly pglite: PGlite }> {
  const folder = await mkdtemp(join(tmpdir(), 'pglite-'))
  const pglite = await PGlite.create(await createPGliteFolder(folder))
  const close = () => pglite.close().finally(() => rm(folder, { recursive: true }))
  return { ...database([pglite, pglite], close), pglite }
}

function database(clients: readonly PostgresClient[], close: () => Promise<unknown>): TestDatabase {
  const [one, other] = clients
  if (one === undefined || other === undefined) throw new Error('a database needs two clients')
  return {
    clients: [one, other],
    async [Symbol.asyncDispose]() {
      await close()
    },
  }
}
