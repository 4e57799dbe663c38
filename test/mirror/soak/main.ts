import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { POINTS } from '../../../src/mirror/core/context.js'
import { withPostgres } from '../../support/postgres.js'
import { startDisturbances } from './disturbances.js'
import { bundleMachine } from './fleet.js'
import { type SoakReport, soak } from './run.js'

const HELP = `Kills processes of a mirror at each of its steps, and compares the copy and the handler's table afterwards.

npm run soak:mirror -- [--kills 10] [--limit 240] [--print]

Each process dies at each point with a probability of 4 %, and more often once few points are left, until every point has that
number of kills, or after the limit in seconds for each row. --print writes the table into docs/reliability.md. It needs the packages of test/tools.`

const DOCUMENT = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url))
const BEGIN = '<!-- kill matrix: begin -->'
const END = '<!-- kill matrix: end -->'

/** Time limit of the row with disturbances, which repeat every 12 seconds. */
const MAX_DISTURBED_MS = 300_000

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    limit: { type: 'string', default: '240' },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

interface Row {
  readonly name: string
  readonly report: SoakReport
}

function line({ name, report }: Row): string {
  const { verdict, kills, orders, changes } = report
  const counts = POINTS.map((point) => kills.get(point) ?? 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const cells = [
    ...[name, orders, changes, total, Math.min(...counts)],
    ...[verdict.lost, verdict.twice, verdict.outOfOrder, verdict.older],
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = `| Database and processes | Orders | Changes | Kills | Fewest kills at one step | Lost | Twice | Out of order | Older over newer |
|---|---|---|---|---|---|---|---|---|`

async function print(rows: readonly Row[]): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8')
  const [before, rest] = text.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`docs/reliability.md lacks ${BEGIN}`)
  await writeFile(DOCUMENT, `${before}${BEGIN}\n${HEAD}\n${rows.map(line).join('\n')}\n${END}${after}`)
}

async function main(): Promise<void> {
  const kills = Number(values.kills)
  const limitMs = Number(values.limit) * 1_000
  const bundle = await bundleMachine()
  const postgres = await withPostgres()
  const rows: Row[] = []
  const cell = async (name: string, options: Partial<Parameters<typeof soak>[0]>): Promise<void> => {
    const fixed = { machine: bundle.path, kills, limitMs, probability: 0.04 }
    const report = await soak({ ...fixed, postgres: undefined, machines: 1, ...options })
    rows.push({ name, report })
    console.info(line({ name, report }))
    for (const [point, count] of report.kills) console.info(`  ${point}: ${count}`)
    for (const error of report.errors) console.error(error)
  }
  try {
    console.info(HEAD)
    // A process on PGlite takes longer to start, so its cell runs at the same time as the others.
    const lite = cell('PGlite, 1', { limitMs: limitMs * 3 })
    if (postgres !== undefined) {
      const { url } = postgres
      for (const machines of [1, 2, 4]) await cell(`Postgres, ${machines}`, { postgres: url, machines })
      const disturbances = await startDisturbances(postgres)
      try {
        const at = { postgres: disturbances.url, limitMs: Math.min(limitMs, MAX_DISTURBED_MS) }
        await cell('Postgres, 2, with stops and partitions', {
          ...at,
          machines: 2,
          disturb: disturbances.disturb,
        })
      } finally {
        await disturbances.end()
      }
    }
    await lite
    if (values.print) await print(rows)
    const bad = rows.filter(({ report }) => Object.values(report.verdict).some((count) => count > 0))
    process.exitCode = bad.length === 0 ? 0 : 1
  } finally {
    await postgres?.stop()
    await bundle.remove()
  }
}

if (values.help) console.info(HELP)
else await main()
