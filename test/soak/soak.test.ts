import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url))
const CALLS = 500

describe('many faults over real HTTP (§4.1, §5, §8)', () => {
  const seed = randomInt(1_000_000)

  it(`orders placed twice 0, results lost 0, nothing left open: npm run soak -- --seed ${seed} --calls ${CALLS}`, async () => {
    const args = ['--import', 'tsx', PROGRAM, '--calls', String(CALLS), '--seed', String(seed)]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args).catch((failed) => failed)
    const rules = stdout.split('\n').filter((line: string) => /^(ok {2}|FAIL) /.test(line))
    expect(rules, `${stdout}\n${stderr}`).toHaveLength(14)
    expect(
      rules.filter((line: string) => line.startsWith('FAIL')),
      stdout,
    ).toEqual([])
  }, 60_000)
})
