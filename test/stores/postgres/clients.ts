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
  /** Runs a statement of the test itself, and returns its rows. */
  query(text: string, values?: unknown[]): Promise<readonly object[]>
}

/** Every kind of client that the stores in Postgres support. */
export interface PostgresKind {
  readonly kind: string
  open(): Promise<TestDatabase>
}

/** The kinds that run here. PGlite needs no server. The stores must not use the parsers of an application. */
export function postgresKinds(server: RunningPostgres | undefined): readonly PostgresKind[] {
  const pglite: PostgresKind = { kind: 'a PGlite with parsers of its own', open: openForeignPGlite }
  if (server === undefined) return [pglite]
  return [
    { kind: 'a pg Pool with parsers of its own', open: () => openPools(server.url) },
    { kind: 'a pg Client', open: () => openClients(server.url) },
    pglite,
  ]
}

const parse = (text: string): unknown => ({ of: text })

async function openPools(url: string): Promise<TestDatabase> {
  const types = { getTypeParser: () => parse }
  const pools = [0, 1].map(() => new pg.Pool({ connectionString: url, max: 25, types }))
  const direct = new pg.Pool({ connectionString: url, max: 2 })
  return database(pools, direct, () => Promise.all([...pools, direct].map((pool) => pool.end())))
}

async function openClients(url: string): Promise<TestDatabase> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  return database(clients, clients[0], () => Promise.all(clients.map((client) => client.end())))
}

export async function openPGlite(): Promise<TestDatabase & { readonly pglite: PGlite }> {
  const folder = await mkdtemp(join(tmpdir(), 'pglite-'))
  const pglite = await PGlite.create(await createPGliteFolder(folder))
  const close = () => pglite.close().finally(() => rm(folder, { recursive: true }))
  return { ...database([pglite, pglite], pglite, close), pglite }
}

async function openForeignPGlite(): Promise<TestDatabase> {
  const opened = await openPGlite()
  const { pglite } = opened
  const own = { parsers: pglite.parsers, serializers: pglite.serializers }
  const everyType = <T>(types: object, use: T) =>
    Object.fromEntries(Object.keys(types).map((oid) => [oid, use]))
  pglite.parsers = everyType(own.parsers, parse)
  pglite.serializers = everyType(own.serializers, (value: unknown) => JSON.stringify(value))
  return {
    ...opened,
    query: async (text, values) => (await pglite.query<object>(text, values, own)).rows,
  }
}

function database(
  clients: readonly PostgresClient[],
  direct: Pick<PGlite, 'query'> | Pick<pg.Client, 'query'> | undefined,
  close: () => Promise<unknown>,
): TestDatabase {
  const [one, other] = clients
  if (one === undefined || other === undefined || direct === undefined)
    throw new Error('a database needs two clients')
  const reader: PostgresClient = direct
  return {
    clients: [one, other],
    query: async (text, values = []) => (await reader.query(text, values)).rows.map(Object),
    async [Symbol.asyncDispose]() {
      await close()
    },
  }
}
