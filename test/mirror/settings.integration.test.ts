import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSource } from 'pathology-sdk/mirror'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { onFreePort, startServer } from '../support/server-process.js'
import { foreignParser, foreignRow, throwingParser, wholeFlow } from './whole-flow.js'
import { createWorld, type TestDatabase } from './world.js'

const server = await withPostgres()
const url = server?.url ?? 'postgres://127.0.0.1:9/none'

/** Connections of the test itself, whose values do not depend on the parsers under test. */
const asText = { getTypeParser: () => String }
const admin = new pg.Pool({ connectionString: url, types: asText })
let databases = 0

afterAll(async () => {
  await admin.end()
  await server?.stop()
})

/** Creates a database with these settings, and returns its URL. */
async function databaseWith(settings: Readonly<Record<string, string>> = {}, options = ''): Promise<string> {
  databases += 1
  const name = `settings_${databases}`
  await admin.query(`CREATE DATABASE ${name} ${options}`)
  for (const [key, value] of Object.entries(settings)) {
    await admin.query(`ALTER DATABASE ${name} SET ${key} = '${value}'`)
  }
  return url.replace(/[^/]+$/, name)
}

/** A pool of the application, and connections of the test to the same database. */
function open(connectionString: string, options: pg.PoolConfig = {}): TestDatabase & { source: pg.Pool } {
  const source = new pg.Pool({ connectionString, max: 8, ...options })
  const direct = new pg.Pool({ connectionString, max: 2, types: asText })
  onTestFinished(async () => void (await Promise.all([source.end(), direct.end()])))
  return { source, query: async (text, values = []) => (await direct.query(text, values)).rows }
}

describe.skipIf(server === undefined)('an application with parsers of its own', () => {
  it('a mirror reads its values although the parsers of pg.types throw', async () => {
    const oids = [...Object.values(pg.types.builtins), 1000, 1007, 1009, 1016, 1115, 1185]
    for (const oid of oids) {
      const before = pg.types.getTypeParser(oid)
      pg.types.setTypeParser(oid, throwingParser)
      onTestFinished(() => pg.types.setTypeParser(oid, before))
    }
    await wholeFlow(open(url), false)
  }, 60_000)

  it('a mirror reads its values although its pool has other parsers, and a handler gets those of the pool', async () => {
    const database = open(url, { types: { getTypeParser: () => foreignParser } })
    expect(JSON.stringify(await wholeFlow(database))).toBe(JSON.stringify(foreignRow('{"a": 1}')))
  }, 60_000)

  it('a pool that asks for binary values is refused, and the error says so', async () => {
    const here = await createWorld(open(url))
    const binary: pg.PoolConfig & { readonly binary: true } = { binary: true }
    const { source } = open(url, binary)
    await expect(here.mirrorOf({ database: source }).start()).rejects.toMatchObject({
      ...{ name: 'ConfigurationError', code: 'DATABASE_DRIVER' },
    })
  })
})

describe.skipIf(server === undefined)('a database with settings of its own', () => {
  it.each([
    {
      ...{ datestyle: 'SQL, DMY', timezone: 'Australia/Lord_Howe', intervalstyle: 'sql_standard' },
      ...{ default_transaction_isolation: 'serializable', client_encoding: 'LATIN1' },
    },
    {
      ...{ datestyle: 'German', bytea_output: 'escape', extra_float_digits: '-15' },
      ...{ default_transaction_isolation: 'repeatable read', transform_null_equals: 'on' },
    },
    {
      ...{ datestyle: 'Postgres, DMY', standard_conforming_strings: 'off', escape_string_warning: 'off' },
      ...{ array_nulls: 'off', search_path: '$user', plan_cache_mode: 'force_generic_plan' },
    },
  ])(
    'in a database with the settings %o the copy is complete and does not go backwards',
    async (settings) => {
      await wholeFlow(open(await databaseWith(settings)))
    },
    60_000,
  )

  it('several machines copy every referral although transactions are serializable', async () => {
    const database = open(await databaseWith({ default_transaction_isolation: 'serializable' }), { max: 30 })
    const here = await createWorld(database)
    const seen: number[] = []
    const on = { '*': ({ position }: { position: number }) => void seen.push(position) }
    const mirrors = [0, 1, 2].map(() => here.mirrorOf({ on, concurrency: 6 }))
    const [first] = mirrors
    if (first === undefined) throw new Error('no mirror')
    await first.drain()
    await here.subscribe(first)
    const uuids = await Promise.all(Array.from({ length: 12 }, () => here.order()))
    await here.fake.clock.advance({ seconds: 1 })
    await here.fake.settled()
    await Promise.all(mirrors.map((mirror) => mirror.drain()))
    await first.drain()
    const { referrals, position } = await first.status()
    expect(referrals).toBe(uuids.length)
    expect(new Set(seen).size).toBe(seen.length)
    expect(Math.max(...seen)).toBe(position)
  })

  it('a database that is read-only: start rejects and says so', async () => {
    const connectionString = await databaseWith()
    const here = await createWorld(open(connectionString))
    await here.mirrorOf().drain()
    const { source } = open(connectionString, { options: '-c default_transaction_read_only=on' })
    await expect(here.mirrorOf({ database: source }).start()).rejects.toMatchObject({
      ...{ name: 'ConfigurationError', code: 'DATABASE_READ_ONLY' },
      message: expect.stringContaining('default_transaction_read_only'),
    })
  })

  const encoding = (name: string) => `ENCODING '${name}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`

  it.each(['LATIN1', 'EUC_JP'])(
    'a database with the encoding %s: start rejects and says why',
    async (name) => {
      const here = await createWorld(open(await databaseWith({}, encoding(name))))
      const mirror = here.mirrorOf()
      const refusal = { name: 'ConfigurationError', code: 'DATABASE_ENCODING' }
      await expect(mirror.start()).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining(`the encoding ${name}`),
      })
      await expect(mirror.drain()).rejects.toMatchObject(refusal)
    },
  )

  it('a database with the encoding SQL_ASCII: every name is copied', async () => {
    await wholeFlow(open(await databaseWith({}, encoding('SQL_ASCII'))))
  })
})

describe.skipIf(server === undefined)('listen', () => {
  const LINE = /listen is true, but no notification arrives/

  it('a mirror warns when LISTEN succeeds and no notification arrives, as behind a transaction pooler', async () => {
    const here = await createWorld(open(url))
    const { source } = open(url)
    const pooled: DatabaseSource = Object.assign(Object.create(source), {
      connect: async () => {
        const client = await source.connect()
        const proxy: pg.PoolClient = Object.create(client)
        const { query } = client
        return Object.assign(proxy, {
          query: (text: unknown, ...rest: unknown[]) =>
            Reflect.apply(query, client, [/^LISTEN/.test(String(text)) ? 'SELECT 1' : text, ...rest]),
        })
      },
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const starting = here.mirrorOf({ database: pooled, listen: true, concurrency: 0 }).start()
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(500)
      expect(here.logs).toContainEqual(expect.stringMatching(LINE))
    }, 10_000)
    await starting
  })

  it('a mirror that listens does not warn when the notification arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const here = await createWorld(open(url))
    const notified = vi.spyOn(pg.Client.prototype, 'emit')
    onTestFinished(() => notified.mockRestore())
    const starting = here.mirrorOf({ database: open(url).source, listen: true, concurrency: 0 }).start()
    // Each check moves the fake time by its interval, so that the two seconds of the warning run as fast as the server.
    const pace = { timeout: 20_000, interval: 10 }
    await vi.waitFor(() => expect(notified).toHaveBeenCalledWith('notification', expect.anything()), pace)
    await starting
    await vi.advanceTimersByTimeAsync(10_000)
    expect(here.logs.filter((line) => LINE.test(line))).toEqual([])
  })
})

describe.skipIf(server === undefined)('prepared statements', () => {
  /** Processes an event, and returns the number of statements that the connections of the pool keep. */
  async function kept(source: pg.Pool, pooled: DatabaseSource): Promise<number> {
    const here = await createWorld(open(url))
    const mirror = here.mirrorOf({ database: pooled })
    await here.subscribe(mirror)
    await here.order()
    await here.settle(mirror)
    expect(await mirror.status()).toMatchObject({ referrals: 1 })
    const clients = await Promise.all(Array.from({ length: source.totalCount }, () => source.connect()))
    const text = "SELECT 1 FROM pg_prepared_statements WHERE name LIKE 'pathology_%'"
    const found = await Promise.all(clients.map((client) => client.query(text)))
    for (const client of clients) client.release()
    return found.reduce((sum, { rows }) => sum + rows.length, 0)
  }

  it('prepared statements are kept by a connection to the server', async () => {
    const { source } = open(url)
    expect(await kept(source, source)).toBeGreaterThan(3)
  })

  it('prepared statements are not used if a pooler has given the connection another process id', async () => {
    const { source } = open(url)
    const pooled: DatabaseSource = Object.assign(Object.create(source), {
      connect: async () => {
        const client = await source.connect()
        const proxy: pg.PoolClient = Object.create(client)
        const query = (...statement: unknown[]) => Reflect.apply(client.query, client, statement)
        return Object.assign(proxy, { processID: 1, query })
      },
    })
    expect(await kept(source, pooled)).toBe(0)
  })

  it('prepared statements that the application has removed do not stop the mirror', async () => {
    const { source } = open(url)
    const here = await createWorld(open(url))
    const mirror = here.mirrorOf({ database: source })
    await here.subscribe(mirror)
    await here.order()
    await here.settle(mirror)
    const clients = await Promise.all(Array.from({ length: source.totalCount }, () => source.connect()))
    for (const client of clients) {
      await client.query('DEALLOCATE ALL')
      client.release()
    }
    await here.order()
    await vi.waitFor(
      async () => {
        await here.fake.clock.advance({ minutes: 10 })
        await here.settle(mirror)
        expect(await mirror.status()).toMatchObject({ referrals: 2, backlog: 0 })
      },
      { timeout: 20_000, interval: 200 },
    )
  }, 30_000)
})

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => {
  try {
    return execFileSync(path, ['--version'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
})
if (pgbouncer === undefined)
  console.warn('No pgbouncer here, so its test is skipped: apt-get install pgbouncer')

describe.skipIf(server === undefined || pgbouncer === undefined)(
  'behind pgbouncer in transaction mode',
  () => {
    it('behind pgbouncer in transaction mode a mirror works, with German dates in the database too', async () => {
      const direct = new URL(await databaseWith({ datestyle: 'German' }))
      const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
      const port = await onFreePort(async (free) => {
        const file = join(folder, 'pgbouncer.ini')
        await writeFile(
          file,
          `[databases]\n* = host=127.0.0.1 port=${direct.port} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${free}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n`,
        )
        execFileSync('chmod', ['-R', 'a+rX', folder])
        const bouncer = await startServer({
          ...{
            command: String(pgbouncer),
            args: [file],
            ready: /process up/,
            stopSignal: 'SIGINT',
            user: uid,
          },
        })
        onTestFinished(() => bouncer.stop())
        return free
      })
      const connectionString = `postgres://postgres@127.0.0.1:${port}${direct.pathname}`
      const database = open(direct.href)
      await wholeFlow({ ...database, source: open(connectionString).source })
    })
  },
)
