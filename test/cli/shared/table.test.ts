import { expect, it } from 'vitest'
import { writeRows } from '../../../src/cli/shared/output.js'
import { folderWith, runCommand, terminalOf } from '../run-command.js'

it('a table can have more rows than a function can have arguments', async () => {
  const cwd = await folderWith({ 'big.csv': `n\n${'2426621B\n'.repeat(130_000)}` })
  const words = ['check', 'provider', '--csv', 'big.csv', '--column', 'n', '--table']
  const { code, stdout, stderr } = await runCommand(words, { cwd, env: { NO_COLOR: '1' } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(130_001)
  expect(lines[0]).toBe('row     valid  reason  message')
  expect(lines.at(-1)).toBe('130001  true')
})

const RECORD = {
  uuid: '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60',
  status: 'PENDING_VERIFICATION',
  createdAt: '2026-03-02T09:00:00.000Z',
  referenceNumber: 'visit-1001',
  tests: 'ferritin full-blood-count lipids',
}
const lines = async (records: readonly object[], columns: readonly string[], width: number) => {
  const { terminal, written } = terminalOf({ isTTY: true, columns: width, env: { NO_COLOR: '1' } })
  await writeRows(terminal, { tz: 'Australia/Sydney' }, { columns }, records)
  return { shown: written.stdout.trimEnd().split('\n'), stderr: written.stderr }
}

it('a table of 80 columns leaves out what stands last, and shows identifiers and times whole', async () => {
  const { shown, stderr } = await lines([RECORD], Object.keys(RECORD), 80)
  expect(shown).toEqual([
    'uuid                                  status        createdAt (AEDT)  reference…',
    '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60  PENDING_VER…  2026-03-02 20:00  visit-1001',
  ])
  expect(stderr).toBe('Too wide for this terminal: tests.\n')
})

it('a table in a wide terminal is not cut', async () => {
  const { shown, stderr } = await lines([RECORD], Object.keys(RECORD), 200)
  expect(shown[1]).toContain('PENDING_VERIFICATION')
  expect(shown[1]).toContain('ferritin full-blood-count lipids')
  expect(stderr).toBe('')
})

it('a table shows each time in the chosen zone, and leaves empty ones empty', async () => {
  const times = ['2026-03-02T09:00:00Z', null, '2026-07-02T23:30:00+10:00']
  const { shown } = await lines(
    times.map((at, number) => ({ number, at })),
    ['number', 'at'],
    80,
  )
  expect(shown).toEqual([
    'number  at (AEDT/AEST)',
    '0       2026-03-02 20:00',
    '1',
    '2       2026-07-02 23:30',
  ])
})
