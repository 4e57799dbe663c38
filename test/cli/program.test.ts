import { expect, it } from 'vitest'
import { runCommand } from './run-command.js'

const SECRET = 'client-secret-that-nobody-may-see'

it.each([
  [`--client_secret=${SECRET}`, "'--client_secret'"],
  [`--client-secret2=${SECRET}`, "'--client-secret2'"],
  [`--client-secret=a'${SECRET}`, "'--client-secret'"],
  [`--client-secret=a=b'\n'${SECRET}`, "'--client-secret'"],
  [`--jsom=${SECRET}`, "'--jsom'"],
  [`-p${SECRET}`, "'-p'"],
  ['--jsom', "'--jsom'; did you mean --json?"],
])('an unknown option is named without its value: %j', async (option, name) => {
  const { code, stdout, stderr } = await runCommand(['referrals', 'list', option])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`pathology: unknown option ${name}`)
  expect(stderr).toMatch(/\nRun npx pathology referrals --help for the commands and options\.\n$/)
  expect(stderr).not.toContain(SECRET)
})

it('an option in place of a command is named without its value', async () => {
  const { code, stderr } = await runCommand(['--', `--client_secret=${SECRET}`])
  expect(code).toBe(2)
  expect(stderr).toContain("unknown command '--client_secret'")
  expect(stderr).not.toContain(SECRET)
})
