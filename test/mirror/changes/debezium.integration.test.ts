import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { codeBlocks } from '../../docs/blocks.js'
import { withPostgres } from '../../support/postgres.js'
import { createWorld, poolDatabase, type World } from '../world.js'
import { decodePgoutput, type OutboxRow } from './pgoutput.js'

const GUIDE = 'docs/guides/scaling-out.md'
const ROUTER = 'transforms.outbox.'

/** Options of Debezium's router and of its connector for Postgres, as its documentation names them. */
const ROUTER_OPTIONS = [
  ...['type', 'table.field.event.id', 'table.field.event.key', 'table.field.event.payload'],
  ...['table.fields.additional.placement', 'route.by.field', 'route.topic.replacement'],
]
const CONNECTOR_OPTIONS = [
  ...['connector.class', 'topic.prefix', 'plugin.name', 'slot.name', 'table.include.list', 'transforms'],
  ...['database.hostname', 'database.port', 'database.dbname', 'database.user', 'database.password'],
  ...['publication.name', 'publication.autocreate.mode', 'snapshot.select.statement.overrides'],
  ...['heartbeat.interval.ms', 'key.converter', 'value.converter'],
]

const TEXT = 25
const BIGINT = 20
const JSONB = 3802

const server = await withPostgres({ wal_level: 'logical' })
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

/** Statements and properties of the guide. */
async function guide(): Promise<{ readonly sql: string; readonly options: ReadonlyMap<string, string> }> {
  const text = await readFile(GUIDE, 'utf8')
  const blocks = codeBlocks(GUIDE, text.slice(text.indexOf('## Kafka')))
  const block = (wanted: string): string => {
    const [found, ...others] = blocks.filter(({ language }) => language === wanted)
    if (found === undefined || others.length > 0) throw new Error(`one block of ${wanted} is expected`)
    return found.code
  }
  const lines = block('properties').split('\n')
  const options = new Map(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  expect(options.size).toBe(lines.length)
  return { sql: block('sql'), options }
}

/** Changes of every kind: additions, updates, a deletion, a cleared history and an erased group. */
async function trade(here: World): Promise<{ readonly erased: string; readonly kept: string }> {
  const mirror = here.mirrorOf({ schema: 'pathology', concurrency: 4, history: 1 })
  await here.subscribe(mirror)
  const uuids: string[] = []
  for (let n = 0; n < 6; n += 1) uuids.push(await here.order())
  await here.settle(mirror)
  for (const uuid of uuids) here.fake.referrals.partialResults(uuid)
  await here.settle(mirror)
  for (const uuid of uuids) here.fake.referrals.complete(uuid)
  await here.settle(mirror)
  const [erased = '', deleted = '', kept = ''] = uuids
  await here.clientOf().referrals.delete(deleted)
  await mirror.sweep('everything')
  await mirror.erase({ uuid: erased })
  await pool.query("UPDATE pathology.change SET changed_at = changed_at - interval '3 days'")
  await pool.query(
    "INSERT INTO pathology.work (organisation, kind, key) VALUES ('default', 'clean-up', 'all') ON CONFLICT DO NOTHING",
  )
  await mirror.drain()
  return { erased, kept }
}

describe.skipIf(server === undefined)('Debezium reads the table of changes', () => {
  const database = poolDatabase(pool)

  it('Debezium reads every change once, in order, with its columns, as the guide configures it', async () => {
    const { sql, options } = await guide()
    const option = (name: string): string => options.get(name) ?? ''
    const names = [...options.keys()]
    const table = option('table.include.list')
    const overrides = `snapshot.select.statement.overrides.${table}`
    expect(names.filter((name) => !name.startsWith(ROUTER)).sort()).toEqual(
      [...CONNECTOR_OPTIONS, overrides].sort(),
    )
    expect(names.filter((name) => name.startsWith(ROUTER)).sort()).toEqual(
      ROUTER_OPTIONS.map((name) => `${ROUTER}${name}`).sort(),
    )

    const here = await createWorld(database)
    const first = here.mirrorOf({ schema: 'pathology' })
    await first.drain()
    await pool.query(sql)
    const url = new URL(server?.url ?? '')
    url.username = option('database.user')
    url.password = option('database.password')
    const debezium = new pg.Client({ connectionString: url.href })
    await debezium.connect()
    onTestFinished(async () => {
      await debezium.query('SELECT pg_drop_replication_slot($1)', [option('slot.name')])
      await debezium.end()
    })
    await debezium.query('SELECT pg_create_logical_replication_slot($1, $2)', [
      option('slot.name'),
      option('plugin.name'),
    ])
    const { erased, kept } = await trade(here)

    const { rows } = await debezium.query<{ data: Buffer }>(
      "SELECT data FROM pg_logical_slot_get_binary_changes($1, NULL, NULL, 'proto_version', '1', 'publication_names', $2)",
      [option('slot.name'), option('publication.name')],
    )
    const { operations, types, inserted } = decodePgoutput(rows.map(({ data }) => data))
    expect(operations).toEqual(new Set(['insert']))
    const router = (name: string): string => option(`${ROUTER}${name}`)
    const headers = router('table.fields.additional.placement').split(',')
    expect(headers.every((field) => /^[a-z]+:header$/.test(field))).toBe(true)
    expect(types.get(router('table.field.event.id'))).toBe(BIGINT)
    expect(types.get(router('table.field.event.payload'))).toBe(JSONB)
    const texts = ['table.field.event.key', 'route.by.field'].map(router)
    for (const column of [...texts, ...headers.map((field) => field.split(':')[0] ?? '')]) {
      expect([column, types.get(column)]).toEqual([column, TEXT])
    }

    const messages = inserted.map((row) => messageOf(row, router))
    const { rows: stored } = await pool.query(
      'SELECT position::text, body FROM pathology.change ORDER BY change.position',
    )
    expect(messages.map(({ id }) => id)).toEqual(stored.map(({ position }) => position))
    // Cleared history and erasing have updated rows in between.
    expect(stored.some(({ body }, at) => body === null && messages[at]?.value !== null)).toBe(true)
    const ofKept = messages.filter(({ key }) => key === kept)
    expect(new Set(ofKept.map(({ row }) => row.get('kind')))).toEqual(new Set(['referral', 'result']))
    for (const { value, row } of ofKept) {
      expect(JSON.parse(value ?? '')).toMatchObject({
        uuid: row.get('uuid'),
        status: row.get('status_after'),
      })
    }
    expect(messages.filter(({ key }) => key === erased).at(-1)).toMatchObject({ value: null })
    expect(messages.filter(({ row }) => row.get('action') === 'erased').map(({ value }) => value)).toEqual([
      null,
      null,
    ])
    expect(messages.some(({ row }) => row.get('action') === 'deleted')).toBe(true)
    expect(router('route.topic.replacement')).not.toContain('$')

    const snapshot = await debezium.query<{ position: string }>(option(overrides))
    expect(snapshot.rows.map(({ position }) => position)).toEqual(stored.map(({ position }) => position))
    for (const refused of [
      'SELECT 1 FROM pathology.referral',
      'SELECT 1 FROM pathology.event',
      'DELETE FROM pathology.change',
      'CREATE PUBLICATION other FOR TABLE pathology.change',
    ]) {
      await expect(debezium.query(refused)).rejects.toMatchObject({ code: '42501' })
    }

    await here.mirrorOf({ schema: 'pathology', rowSecurity: true }).drain()
    expect((await debezium.query(option(overrides))).rows).toEqual([])
    await pool.query(`ALTER ROLE ${option('database.user')} BYPASSRLS`)
    expect((await debezium.query(option(overrides))).rows).toHaveLength(stored.length)
  })
})

/** The message of a row as Debezium's router builds it. */
function messageOf(row: OutboxRow, router: (name: string) => string) {
  return {
    id: row.get(router('table.field.event.id')),
    key: row.get(router('table.field.event.key')),
    value: row.get(router('table.field.event.payload')) ?? null,
    row,
  }
}
