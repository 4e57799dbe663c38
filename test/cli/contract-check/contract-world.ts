import { FakePathologyService, type FakeStartOptions } from 'pathology-sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { record, records } from '../../testing/support.js'
import { runCommand } from '../run-command.js'

/** The smallest valid PNG. */
const SIGNATURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Arguments of a check that only reads. */
export const READS: readonly string[] = []
/** Arguments of a check that also writes. */
export const WRITES = ['--write', '--write-webhooks', '--pdf-timeout', '1s']

/** A small fake with records of every kind. */
export async function startContractFake(options: FakeStartOptions = {}): Promise<FakePathologyService> {
  const fake = await FakePathologyService.start({ seedReferrals: 12, centreCount: 60, ...options })
  onTestFinished(() => fake.close())
  fake.providers.saveInPortal('2426621B', { name: 'Dr A', address: '1 Example Street', signature: SIGNATURE })
  fake.providers.saveInPortal('2426631A', { name: 'Dr B', address: '2 Example Street' })
  fake.webhooks.createInPortal({ url: 'https://clinic.example.com/one' })
  fake.webhooks.createInPortal({ url: 'https://clinic.example.com/two' })
  return fake
}

/** Standard error without the steps of the check. */
export const withoutSteps = (stderr: string): string => stderr.replace(/^checking .+\n/gm, '')

/** The differences as text: level, endpoint, case, path, expected and seen. */
export async function differencesOf(env: Record<string, string>, words: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(['contract', 'check', '--json', ...words], { env })
  expect(withoutSteps(stderr)).toBe('')
  const report = record(JSON.parse(stdout))
  const differences = records(report['differences']).map(
    (each) =>
      `${each['level']} ${each['endpoint']} (${each['case']}) ${each['path']}: ${each['expected']}, not ${each['seen']}`,
  )
  return { code, report, stdout, differences }
}
