import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type ProcessesOptions, soakProcesses } from './processes/run.js'
import { progressTo } from './progress.js'
import { describeReport } from './report.js'
import { type SoakOptions, soak } from './soak.js'

const HELP = `Calls the fake service while it has many faults. Then checks the outcome of every call.

npm run soak -- [--calls 10000] [--seed N] [--concurrency 32] [--faults 0.2]

The seed selects the calls and the faults. With --concurrency 1 the same seed gives the same run.
With more, the machine's speed decides which call gets which fault. Some faults are responses with status 200 that
contain neither an order nor a list.

npm run soak -- --processes 4 [--orders 2000] [--seed N] [--short]

Places orders through several processes that share an order ledger, in Postgres and in Redis, with and without
resendAfter. Processes are killed and stopped, responses are lost, and the ledger is disconnected and restarted.
It needs the packages of test/tools (npm ci --prefix test/tools) and redis-server.`

type Options = { readonly calls: SoakOptions } | { readonly processes: ProcessesOptions }

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '10000' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      concurrency: { type: 'string', default: '32' },
      faults: { type: 'string', default: '0.2' },
      processes: { type: 'string' },
      orders: { type: 'string', default: '2000' },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const number = (
    name: Exclude<keyof typeof values, 'help' | 'short'>,
    least: number,
    most: number,
  ): number => {
    const value = Number(values[name])
    if (value >= least && value <= most && (name === 'faults' || Number.isInteger(value))) return value
    throw new RangeError(`--${name} must be a number from ${least} to ${most}`)
  }
  const seed = number('seed', 0, 4_294_967_295)
  if (values.processes !== undefined) {
    const processes = number('processes', 2, 16)
    return { processes: { processes, orders: number('orders', 4, 100_000), seed, isShort: values.short } }
  }
  return {
    calls: {
      calls: number('calls', 1, 10_000_000),
      seed,
      concurrency: number('concurrency', 1, 60),
      faults: number('faults', 0, 0.9),
    },
  }
}

async function main(): Promise<number> {
  const options = readOptions()
  if (options === undefined) {
    console.log(HELP)
    return 0
  }
  if ('processes' in options) {
    console.log(`soak: ${options.processes.orders} orders, seed ${options.processes.seed}`)
    return soakProcesses(options.processes, (line) => console.log(line))
  }
  const { calls } = options
  console.log(`soak: ${calls.calls} calls, seed ${calls.seed}`)
  const report = await soak(calls, progressTo(process.stderr, calls.calls))
  console.log(describeReport(calls, report))
  return report.findings.every(({ broken }) => broken.length === 0) ? 0 : 1
}

// The servers of a run are killed when the process exits, but a signal alone does not exit it in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof RangeError ? error.message : error)
    process.exitCode = 2
  },
)
