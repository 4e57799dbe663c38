/** A check that must pass in every runtime. */
export interface Check {
  readonly title: string
  readonly run: () => unknown
}

/** Result of a check; `problem` is set when it failed. */
export interface CheckOutcome {
  readonly title: string
  readonly problem?: string
}

/** Runs checks one after the other, each with a time limit, and never throws. */
export async function runChecks(checks: readonly Check[]): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = []
  for (const { title, run } of checks) {
    try {
      await withinLimit(run)
      outcomes.push({ title })
    } catch (error) {
      outcomes.push({
        title,
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }
  }
  return outcomes
}

const LIMIT_MS = 30_000

async function withinLimit(run: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${LIMIT_MS} ms`)), LIMIT_MS)
  })
  try {
    await Promise.race([run(), limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Works in every runtime, also in a Worker without Node's modules. */
export function same(actual: unknown, expected: unknown, what = 'value'): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what} is ${one} and should be ${other}`)
}

/** The error of a promise or a function. */
export async function failure(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
