import { expect, it } from 'vitest'
import { startFake } from '../../testing/support.js'
import { environmentOf, folderWith, runCommand } from '../run-command.js'

it('the first variable of a file with a byte order mark is read', async () => {
  const env = environmentOf(await startFake({ seedReferrals: 0 }))
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const cwd = await folderWith({ 'staging.env': `\uFEFF${lines.join('\r\n')}\r\n` })
  const words = ['webhooks', 'list', '--json', '--env-file', 'staging.env']
  expect(await runCommand(words, { cwd })).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
})
