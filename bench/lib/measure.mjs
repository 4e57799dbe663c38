/**
 * @typedef {{ readonly cpu: number, readonly wall: number }} Cost Microseconds per operation.
 * @typedef {{ readonly name: string, readonly run: () => Promise<unknown> | unknown }} Contender
 * @typedef {{ readonly name: string, readonly cpu: number, readonly wall: number, readonly cpuRatio: number, readonly wallRatio: number }} Row
 */

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/**
 * @param {readonly number[]} values
 * @param {number} part such as 0.99
 */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

/**
 * Measures the cost of `operations` runs, `concurrency` at a time.
 * @param {Contender} contender
 * @param {number} operations
 * @param {number} concurrency
 * @returns {Promise<Cost>}
 */
export async function cost(contender, operations, concurrency) {
  let started = 0
  const lane = async () => {
    while (started < operations) {
      started += 1
      await contender.run()
    }
  }
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  await Promise.all(Array.from({ length: concurrency }, lane))
  const { user, system } = process.cpuUsage(cpuBefore)
  return { cpu: (user + system) / operations, wall: ((performance.now() - before) * 1_000) / operations }
}

/**
 * Runs the contenders in turn, round by round. Returns the medians of their costs, and of their ratios to the first
 * contender. The first one runs twice: the ratio of its second row is the measurement error.
 * @typedef {{ readonly rounds: number, readonly operations: number, readonly concurrency?: number, readonly warmUp?: number, readonly large?: boolean }} Plan `large`: garbage is collected before each run.
 * @param {readonly Contender[]} given
 * @param {Plan} plan
 * @returns {Promise<Row[]>}
 */
export async function compare(
  given,
  { rounds, operations, concurrency = 1, warmUp = operations, large = false },
) {
  const contenders = withRepeatedFirst(given)
  for (const contender of contenders) await cost(contender, warmUp, concurrency)
  /** @type {Cost[][]} */
  const costs = contenders.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    // The garbage of one contender slows down the next contender, so the order changes from round to round.
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const place = (turn + round) % contenders.length
      const index = round % 2 === 0 ? place : contenders.length - 1 - place
      const contender = contenders[index]
      if (contender === undefined) continue
      if (large) globalThis.gc?.()
      costs[index]?.push(await cost(contender, operations, concurrency))
    }
  }
  const first = costs[0] ?? []
  return contenders.map(({ name }, index) => {
    const own = costs[index] ?? []
    return {
      name,
      cpu: median(own.map(({ cpu }) => cpu)),
      wall: median(own.map(({ wall }) => wall)),
      // A machine's speed changes during a run, so each ratio is the median of the ratios of the single rounds.
      cpuRatio: median(own.map(({ cpu }, round) => cpu / (first[round]?.cpu ?? Number.NaN))),
      wallRatio: median(own.map(({ wall }, round) => wall / (first[round]?.wall ?? Number.NaN))),
    }
  })
}

/**
 * @template {{ readonly name: string }} Entry
 * @param {readonly Entry[]} entries
 * @returns {Entry[]}
 */
export function withRepeatedFirst([first, ...others]) {
  if (first === undefined) return []
  return [first, { ...first, name: 'first row repeated (measurement error)' }, ...others]
}

/** Leaves out the CPU time of rows that mostly wait. @param {readonly Row[]} rows */
export function timeOnly(rows) {
  return rows.map(({ name, wall, wallRatio }) => ({ name, wall, wallRatio }))
}
