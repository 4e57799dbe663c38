import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { progressTo } from './progress.js'
import { describeReport } from './report.js'
import { type SoakOptions, soak } from './soak.js'

const HELP = `Calls the fake service through a storm of faults, and then counts what became of every call.

npm run soak -- [--calls 10000] [--seed N] [--concurrency 32] [--faults 0.2]

The seed decides what is called and what goes wrong. With --concurrency 1 the same seed gives the same run;
with more, the order in which calls meet the faults depends on the machine. Among the faults are responses with status
200 that hold no order and no list.`

function readOptions(): SoakOptions | undefined {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '10000' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      concurrency: { type: 'string', default: '32' },
      faults: { type: 'string', default: '0.2' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const number = (name: 'calls' | 'seed' | 'concurrency' | 'faults', least: number, most: number): number => {
    const value = Number(values[name])
    if (value >= least && value <= most && (name === 'faults' || Number.isInteger(value))) return value
    throw new RangeError(`--${name} must be a number from ${least} to ${most}`)
  }
  return {
    calls: number('calls', 1, 10_000_000),
    seed: number('seed', 0, 4_294_967_295),
    concurrency: number('concurrency', 1, 60),
    faults: number('faults', 0, 0.9),
  }
}

async function main(): Promise<number> {
  const options = readOptions()
  if (options === undefined) {
    console.log(HELP)
    return 0
  }
  console.log(`soak: ${options.calls} calls, seed ${options.seed}`)
  const report = await soak(options, progressTo(process.stderr, options.calls))
  console.log(describeReport(options, report))
  return report.findings.every(({ broken }) => broken.length === 0) ? 0 : 1
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof RangeError ? error.message : error)
    process.exitCode = 2
  },
)
