import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url))

it('two processes that share a ledger, and are killed, place each order once', async (test) => {
  const args = ['--processes', '2', '--orders', '16', '--short', '--seed', String(randomInt(1_000_000))]
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', PROGRAM, ...args],
    { timeout: 110_000 },
  ).catch((failed) => failed)
  if (stdout.includes('skipped: neither')) return test.skip('neither Postgres nor Redis can run here')
  const said = `${args.join(' ')}\n${stdout}\n${stderr}`
  expect(stdout, said).toContain('doubled: 0\nlost: 0\nreported wrongly: 0\nother problems: 0\n')
  expect(stdout, said).toMatch(/ kill [a-z-]+ \d/)
}, 120_000)
