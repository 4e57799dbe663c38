import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf, eventOf } from '../support.js'

const PROGRAM = fileURLToPath(new URL('shutdown-program.ts', import.meta.url))

it('a process that gets SIGTERM while handlers run responds to every delivery by the deadline, and then exits by itself', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const [, port] = String((await lines.next()).value).split(' ')
  const send = (eventName: string): Promise<Response> => {
    const { method, headers, body } = deliveryOf(eventOf({ eventName }))
    return fetch(`http://127.0.0.1:${port}/`, {
      method,
      headers: { ...headers, connection: 'close' },
      body,
    })
  }
  const answers = [send('referral.issued'), send('result.updated')]
  await lines.next()
  await lines.next()
  child.kill('SIGTERM')
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 500])
  expect((await lines.next()).value).toBe('closed')
  expect(await ended).toEqual([0, null])
}, 60_000)
