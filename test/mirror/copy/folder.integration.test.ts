import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMirror } from 'pathology-sdk/mirror'
import { expect, it, onTestFinished, vi } from 'vitest'
import { clientOf } from '../../support/clients.js'
import { createPGliteFolder } from '../../support/pglite.js'

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mirror-folder-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'copy')
}

const LOCK = 'pathology-sdk.lock'

const clientOfNobody = () => clientOf('http://127.0.0.1:9')

it('a directory of PGlite cannot be opened by a second mirror, and is free after stop()', async () => {
  const folder = await folderOf()
  const first = createMirror({ database: folder, client: clientOfNobody() })
  onTestFinished(() => first.stop())
  expect(await first.status()).toMatchObject({ referrals: 0 })
  const second = createMirror({ database: folder, client: clientOfNobody() })
  onTestFinished(() => second.stop())
  await expect(second.start()).rejects.toMatchObject({
    ...{ name: 'ConfigurationError', code: 'DATABASE_IN_USE' },
    message: expect.stringContaining(`is in use by process ${process.pid} on host ${hostname()}`),
  })
  await first.stop()
  expect(await second.status()).toMatchObject({ referrals: 0 })
})

it('a directory of PGlite that another process took over from a paused process is not changed any more', async () => {
  const folder = await createPGliteFolder(await folderOf())
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const mirror = createMirror({ database: folder, client: clientOfNobody() })
  expect(await mirror.status()).toMatchObject({ referrals: 0 })
  const other = JSON.stringify({ pid: 1, startedAt: null, host: 'other', bootId: null, token: 'other' })
  await writeFile(join(folder, LOCK), other)
  vi.advanceTimersByTime(15_001)
  await expect(mirror.status()).rejects.toMatchObject({ code: 'DATABASE_IN_USE' })
  await mirror.stop()
  expect(await readFile(join(folder, LOCK), 'utf8')).toBe(other)
})

it('a directory of PGlite that cannot be created causes an error with a code', async () => {
  const file = `${await folderOf()}.file`
  await writeFile(file, '')
  await expect(
    createMirror({ database: join(file, 'copy'), client: clientOfNobody() }).start(),
  ).rejects.toMatchObject({ code: 'DATABASE_NOT_OPENED' })
})

it.each([
  ['pg', 'postgres://127.0.0.1:9/none'],
  ['@electric-sql/pglite', 'memory://'],
])(
  'the driver %s that is not installed is named, with the command that installs it',
  async (name, database) => {
    vi.doMock(name, () => {
      throw new Error('not found')
    })
    onTestFinished(() => void vi.doUnmock(name))
    vi.resetModules()
    const { createMirror: create } = await import('../../../src/mirror/index.js')
    await expect(create({ database, client: clientOfNobody() }).start()).rejects.toMatchObject({
      ...{ name: 'ConfigurationError', code: 'MODULE_LOAD_FAILED' },
      message: `the package ${name} could not be loaded; no database was opened. Install it: npm install ${name}`,
    })
  },
)
