import { expect, it } from 'vitest'
import { folderWith, runCommand } from '../run-command.js'

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
