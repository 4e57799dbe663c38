import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe.concurrent.each(['pg-boss', 'graphile-worker'])('examples/mirror-%s', (name) => {
  it('a worker runs one job for each complete result, which the handler added in its transaction', async (test) => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', `examples/mirror-${name}/main.ts`],
      { cwd: root, timeout: 80_000 },
    )
    if (/so what needs one is skipped/.test(stderr)) return test.skip(stderr.trim())
    test.expect({ stdout, stderr }).toEqual({ stdout: '3 results, 3 jobs\n', stderr: '' })
  })
})
