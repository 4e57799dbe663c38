import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startFake } from '../../testing/support.js'
import { environmentOf, folderWith, runCommand } from '../run-command.js'

it('the first variable of an env file with a byte order mark is read', async () => {
  const env = environmentOf(await startFake({ seedReferrals: 0 }))
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const cwd = await folderWith({ 'staging.env': `\uFEFF${lines.join('\r\n')}\r\n` })
  const words = ['webhooks', 'list', '--json', '--env-file', 'staging.env']
  expect(await runCommand(words, { cwd })).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
})

it('a default .env that cannot be read is an error, so that the variables are not reported as missing', async () => {
  const cwd = await folderWith({})
  await symlink('.env', join(cwd, '.env'))
  const { code, stderr } = await runCommand(['webhooks', 'list'], { cwd })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('/.env cannot be read. Correct it, or pass --env-file'),
  })
})

it('a directory with the name .env is ignored', async () => {
  const cwd = await folderWith({})
  await mkdir(join(cwd, '.env'))
  const { code, stderr } = await runCommand(['webhooks', 'list'], { cwd })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('not set: ') })
})
