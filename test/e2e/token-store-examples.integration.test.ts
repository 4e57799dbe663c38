import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe.each(['redis', 'postgres'])('examples/token-store-%s', (name) => {
  it(`four processes of examples/token-store-${name} send one token request (§5)`, async (test) => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', `examples/token-store-${name}/main.ts`],
      { cwd: root, timeout: 60_000 },
    )
    if (/so what needs one is skipped/.test(stderr)) return test.skip(stderr.trim())
    expect(stderr).not.toContain('pathology-sdk')
    expect(stdout.match(/^process \d+ found \d+ laboratories$/gm)).toHaveLength(4)
    expect(stdout).toContain('4 processes, 1 token request\n')
  })
})
