import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundle } from '../support/bundle.js'
import { records, startFake } from '../testing/support.js'
import { environmentOf } from './run-command.js'

const MAIN = new URL('../../src/cli/main.ts', import.meta.url)
const { pathOf, remove } = await bundle(MAIN)
const COMMAND = `'${process.execPath}' '${pathOf(MAIN)}'`
afterAll(remove)

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

/** Runs a line of bash, in which `pathology` is the program. */
function start(line: string, env: Record<string, string> = {}) {
  const child = spawn(
    'bash',
    ['--norc', '--noprofile', '-c', `set -o pipefail; pathology() { ${COMMAND} "$@"; }; ${line}`],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', ...env },
      detached: true,
    },
  )
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL')
  })
  const ended = async () => {
    const [stdout, stderr, [code]] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, 'exit'),
    ])
    return { code, stdout, stderr }
  }
  return { child, ended }
}

describe('the program in a separate process', { timeout: 30_000 }, () => {
  it('the command line exits without an error when the reader of its pipe ends first', async () => {
    const env = environmentOf(await startFake({ seedReferrals: 400 }))
    const whole = await start('pathology results list --json', env).ended()
    expect(whole.code).toBe(0)
    expect(records(JSON.parse(whole.stdout)).length).toBeGreaterThan(100)
    expect(await start('pathology results list --json | head -c 1', env).ended()).toEqual({
      code: 0,
      stdout: '[',
      stderr: '',
    })
  })

  it('the command line writes its complete output to a pipe whose reader is slow', async () => {
    const env = environmentOf(await startFake({ seedReferrals: 400 }))
    const slow = await start('pathology results list --json | (sleep 4; cat)', env).ended()
    expect(slow).toMatchObject({ code: 0, stderr: '' })
    expect(slow.stdout.length).toBeGreaterThan(200_000)
    expect(records(JSON.parse(slow.stdout)).length).toBeGreaterThan(100)
  })

  it('the command line names the reason when its output cannot be written', async () => {
    const env = environmentOf(await startFake({ seedReferrals: 5 }))
    expect(await start('pathology results list --json > /dev/full', env).ended()).toEqual({
      code: 1,
      stdout: '',
      stderr: 'pathology: the output cannot be written: no space is left\n',
    })
  })

  it('the command line exits with 130 on Ctrl-C', async () => {
    const fake = await startFake({ seedReferrals: 0 })
    fake.faults.next('GET /v1/referrals', { stall: 'headers' })
    const { child, ended } = start(`exec ${COMMAND} referrals list`, environmentOf(fake))
    const result = ended()
    while (!fake.requests.some(({ path }) => path.startsWith('/v1/referrals')) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 50))
    child.kill('SIGINT')
    expect(await result).toEqual({ code: 130, stdout: '', stderr: '' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'the command line exits with 130 on %s while standard input is open',
    async (name) => {
      const { child, ended } = start(`exec ${COMMAND} order validate -`)
      const result = ended()
      // The pipe cannot hold this text, so the write ends only while the program reads.
      await new Promise((resolve) => child.stdin.write(' '.repeat(4_000_000), resolve))
      child.kill(name)
      expect(await result).toEqual({ code: 130, stdout: '', stderr: '' })
    },
  )

  it('the command line reads standard input, and exits with the code of the command', async () => {
    const valid = await start('printf 2950275661 | pathology check medicare -').ended()
    expect(valid).toMatchObject({ code: 0, stderr: '' })
    expect(await start('printf 1 | pathology check medicare -').ended()).toMatchObject({ code: 3 })
    expect(await start('pathology nonsense').ended()).toMatchObject({ code: 2, stdout: '' })
  })

  it('pathology fake prints one line of JSON, and exits with 0 on Ctrl-C', async () => {
    const { child } = start(`exec ${COMMAND} fake --set seedReferrals=0 --set centreCount=10`)
    let line = ''
    for await (const chunk of child.stdout) {
      line += String(chunk)
      if (line.includes('\n')) break
    }
    expect(Object.keys(JSON.parse(line))).toContain('controlUrl')
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exit).toEqual([0, null])
  })
})
