import { expect, it } from 'vitest'
import { medicareOrder } from '../../support/samples.js'
import { ORDER, records } from '../../testing/support.js'
import { folderWith, runCommand } from '../run-command.js'

it('order validate accepts a valid order and a list of them', async () => {
  const cwd = await folderWith({
    'one.json': JSON.stringify(ORDER),
    'two.json': JSON.stringify([ORDER, ORDER]),
  })
  expect(await runCommand(['order', 'validate', 'one.json'], { cwd, isTTY: true })).toEqual({
    code: 0,
    stdout: 'The order is valid\n',
    stderr: '',
  })
  expect(await runCommand(['order', 'validate', 'two.json', '--json'], { cwd })).toEqual({
    code: 0,
    stdout: '[]\n',
    stderr: '',
  })
})

it('order validate names every problem with its field, without a value, and exits with 3', async () => {
  const stdin = JSON.stringify([ORDER, { ...ORDER, dob: '31/01/1980', medicareTests: ['tsh'], Byron: 1 }])
  const { code, stdout } = await runCommand(['order', 'validate', '-', '--json'], { stdin })
  expect(code).toBe(3)
  const problems = records(JSON.parse(stdout))
  expect(new Set(problems.map(({ order }) => order))).toEqual(new Set([2]))
  expect(problems.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['dob', 'medicareCardNumber', 'orderingPractitioner']),
  )
  expect(stdout).not.toMatch(/31\/01|Byron/)
  const old = await runCommand(['order', 'validate', '-', '--api-version', '1.0.0'], { stdin })
  expect(old.stdout).toContain('needs API version 1.1.0')
  expect((await runCommand(['order', 'validate', '-'], { stdin: '{"a' })).code).toBe(2)
})

/** JSON text of an object with this number of levels. */
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

it('order validate accepts numbers with spaces, which create normalises', async () => {
  const orderingPractitioner = { ...medicareOrder().orderingPractitioner, providerNumber: '2426621 b' }
  const stdin = JSON.stringify({ ...medicareOrder(), orderingPractitioner })
  expect(await runCommand(['order', 'validate', '-'], { stdin })).toMatchObject({ code: 0 })
})

it.each([
  ['metadata that is too large', { note: 'x'.repeat(256 * 1024) }, 'metadata must be at most 262144 bytes'],
  ['metadata that is too deep', nested(40), 'metadata must be nested at most 32 levels deep'],
])('order validate reports %s', async (_, metadata, text) => {
  const { code, stdout } = await runCommand(['order', 'validate', '-'], {
    stdin: JSON.stringify({ ...ORDER, metadata }),
  })
  expect(code).toBe(3)
  expect(stdout).toContain(text)
})
