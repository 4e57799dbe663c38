import { execFile } from 'node:child_process'
import { readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { exampleOrder } from '../../examples/support/orders.js'
import { detailsIn } from '../support/patient-details.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('npm run demo', () => {
  it('npm run demo shows everything from the order to both PDFs and the complete results, and ends by itself (§1)', async () => {
    const { stdout, stderr } = await promisify(execFile)('npm', ['run', '--silent', 'demo'], {
      cwd: root,
      timeout: 60_000,
    })

    expect(stderr.replaceAll(/^npm warn.*\n?/gm, '')).toBe('')
    expect(stdout).toContain('ordered: 2 referrals')
    expect(stdout.match(/⇐ referral\.issued/g)).toHaveLength(2)
    expect(stdout.match(/⇐ referral\.partial_results/g)).toHaveLength(2)
    expect(stdout.match(/⇐ referral\.complete/g)).toHaveLength(2)
    expect(stdout).toMatch(/ {2}\S.*[├─].*●/)

    const paths = stdout.match(/\S+[0-9a-f-]{36}\.pdf$/gm) ?? []
    expect(paths).toHaveLength(2)
    for (const path of paths) {
      expect((await readFile(path)).subarray(0, 5).toString()).toBe('%PDF-')
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
    const { firstName, email, phone, address, dob } = exampleOrder()
    const details = new Set([
      firstName,
      email,
      phone,
      dob,
      address.addressLine1,
      '2123 45670',
      'fake-client-secret',
    ])
    expect(detailsIn(stdout, details)).toEqual([])
    await rm(dirname(paths[0] ?? ''), { recursive: true })
  })
})

describe('npm run demo:mirror', () => {
  // About 10 s on an idle machine; the limit allows for a very busy one.
  it('npm run demo:mirror keeps the copy equal to the service with repeated and lost events and kill -9, and handles each change once', {
    timeout: 320_000,
  }, async () => {
    const { stdout, stderr } = await promisify(execFile)('npm', ['run', '--silent', 'demo:mirror'], {
      cwd: root,
      timeout: 310_000,
    })
    expect(stderr.replaceAll(/^npm warn.*\n?/gm, '')).toMatch(/^(mirror: the sweep .*\n)?$/)
    expect(stdout).toMatch(/backfill: \d{2,} records\n/)
    expect(Number(/sweep: (\d+) changes recovered/.exec(stdout)?.[1])).toBeGreaterThan(0)
    expect(stdout).toMatch(/verify: \d{2,} records compared, 0 differ\n/)
    const [, changes, handled] = /handler: (\d+) changes, (\d+) handled/.exec(stdout) ?? []
    expect(changes).toBe(handled)
    expect(stdout).toMatch(/in \S+, \d+ results\n.*┤[ ·●]*\n/)
  })
})
