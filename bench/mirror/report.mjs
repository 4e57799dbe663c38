import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { LEASE_MS } from './suites/operation.mjs'

const docs = (/** @type {string} */ path) => fileURLToPath(new URL(`../../docs/${path}`, import.meta.url))

/** Documents, and the marks around their generated text. */
const PLACES = /** @type {const} */ ({
  measurements: { path: 'benchmarks-mirror.md', mark: 'measurements' },
  processes: { path: 'guides/scaling-out.md', mark: 'processes' },
})

/** Names of the contenders in the tables. */
const NAMES = {
  mirror: 'pathology-sdk/mirror',
  'pg-boss': 'hand-written, with pg-boss',
  'graphile-worker': 'hand-written, with graphile-worker',
}

const integer = (/** @type {number} */ value) => Math.round(value).toLocaleString('en-AU')
const ms = (/** @type {number} */ value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly unknown[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {readonly unknown[]} */ cells) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n')
}

/**
 * Returns the numbers of the mirror that have a goal, each with its goal.
 * @param {any} found
 */
function goals(found) {
  const { inProcess, http, through, latency, refetch, backfill, takeOver, idle, startMs } = found
  const mirror = (/** @type {any[]} */ rows) => rows.find(({ name }) => name === 'mirror')
  const on = (/** @type {any[]} */ rows, /** @type {string} */ name) => rows.find((row) => row.name === name)
  const least = (/** @type {number} */ value, /** @type {number} */ goal) => [
    `${integer(value)}/s`,
    `at least ${integer(goal)}/s`,
    value >= goal,
  ]
  const most = (/** @type {number} */ value, /** @type {number} */ goal) => [
    ms(value),
    `at most ${ms(goal)}`,
    value <= goal,
  ]
  const idleRate = mirror(idle).perSecond
  return [
    ['deliveries received in the process', ...least(mirror(inProcess).perSecond, 500)],
    ['response to a delivery in the process, p99', ...most(mirror(inProcess).p99, 50)],
    ['deliveries received over HTTP', ...least(mirror(http).perSecond, 500)],
    ['response to a delivery over HTTP, p99', ...most(mirror(http).p99, 50)],
    ['records read by UUID, Postgres', ...least(on(refetch, 'Postgres').referral, 150)],
    ['records read by UUID, PGlite', ...least(on(refetch, 'PGlite').referral, 200)],
    ['events handled', ...least(mirror(through).perSecond, 80)],
    ['time from the event to the handler when idle, p95', ...most(mirror(latency).p95, 250)],
    ['backfill, only the database transactions', ...least(on(backfill, 'Postgres').commitPerSecond, 2_000)],
    [
      `time until another process takes over after kill -9, with a lease of ${ms(LEASE_MS)}, longest`,
      ...most(takeOver.worst, LEASE_MS + 1_000),
    ],
    ['statements of an idle process', `${idleRate.toFixed(1)}/s`, 'at most 2/s', idleRate <= 2],
    ['start with an existing schema', ...most(startMs, 200)],
  ]
}

/** @param {any[]} rows */
const receiving = (rows) =>
  table(
    ['Program', 'deliveries a second', 'p50', 'p99', 'CPU per delivery'],
    rows.map(({ name, perSecond, p50, p99, cpu }) => [
      NAMES[/** @type {keyof typeof NAMES} */ (name)],
      ...[integer(perSecond), ms(p50), ms(p99), `${integer(cpu)} µs`],
    ]),
  )

/** @param {any} found */
function handling({ through, latency, idle }) {
  return table(
    [
      'Program',
      'events a second',
      'CPU per event',
      'statements per event',
      'idle: p50',
      'p95',
      'statements a second',
    ],
    through.map((/** @type {any} */ { name, perSecond, cpu, statements }, /** @type {number} */ index) => [
      NAMES[/** @type {keyof typeof NAMES} */ (name)],
      ...[integer(perSecond), `${integer(cpu)} µs`, statements.toFixed(1)],
      ...[ms(latency[index].p50), ms(latency[index].p95), idle[index].perSecond.toFixed(1)],
    ]),
  )
}

/** @param {any} found */
function copying({ refetch, backfill }) {
  const rows = refetch.map((/** @type {any} */ { name, referral, result }, /** @type {number} */ index) => [
    ...[name, integer(referral), integer(result)],
    ...[integer(backfill[index].perSecond), integer(backfill[index].commitPerSecond)],
  ])
  return table(
    [
      'Database (records a second)',
      'referrals by UUID',
      'results by UUID',
      'backfill',
      'backfill, only the database transactions',
    ],
    rows,
  )
}

/** @param {any} found */
function scaling({ processes }) {
  const numbers = [...new Set(processes.map((/** @type {any} */ row) => row.processes))]
  return table(
    ['Worker processes', ...Object.values(NAMES), 'share of the work of each mirror process'],
    numbers.map((number) => {
      const rows = processes.filter((/** @type {any} */ row) => row.processes === number)
      const [mirror] = rows
      const share = number === 1 ? '100 %' : `${integer(mirror.least)} to ${integer(mirror.most)} %`
      return [number, ...rows.map((/** @type {any} */ { perSecond }) => `${integer(perSecond)}/s`), share]
    }),
  )
}

/**
 * Prints the tables, and writes them between their marks.
 * @param {any} found
 * @param {{ readonly isPrintedOnly: boolean }} options
 */
export function writeReport(found, { isPrintedOnly }) {
  const measurements = [
    `Node ${process.versions.node}, Postgres ${found.postgres}, ${process.platform} ${process.arch}, ${cpus().length} cores.`,
    '',
    '### Goals of the mirror',
    '',
    table(
      ['Measurement', 'measured', 'goal', 'result'],
      goals(found).map((row) => [...row.slice(0, 3), row.at(3) ? 'reached' : 'missed']),
    ),
    '### Deliveries received in the process, 16 at a time',
    '',
    receiving(found.inProcess),
    '### Deliveries received over HTTP, 16 at a time',
    '',
    receiving(found.http),
    '### Events handled, 4 at a time',
    '',
    handling(found),
    '### Reading from the service',
    '',
    copying(found),
  ].join('\n')
  const processes = scaling(found)
  console.info(`${measurements}\n### Events a second with several processes\n\n${processes}`)
  if (isPrintedOnly) return
  write(PLACES.measurements, measurements)
  write(PLACES.processes, processes)
}

/**
 * @param {{ readonly path: string, readonly mark: string }} place
 * @param {string} text
 */
function write({ path, mark }, text) {
  const begin = `<!-- ${mark}: begin -->`
  const end = `<!-- ${mark}: end -->`
  const [before, rest] = readFileSync(docs(path), 'utf8').split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`docs/${path} lacks ${begin}`)
  writeFileSync(docs(path), `${before}${begin}\n${text.trim()}\n${end}${after}`)
}
