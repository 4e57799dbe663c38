import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../support/bundle.js'

const PROGRAM = new URL('small-chunks-program.ts', import.meta.url)

/** Megabytes of heap: a list of the chunks takes more. With little space for new objects, Node collects them sooner. */
const FLAGS = ['--max-old-space-size=28', '--max-semi-space-size=1']

/** Readers that read their body to its end, in a process with this heap. */
let finished: readonly unknown[]

beforeAll(async () => {
  const { pathOf, remove } = await bundle(PROGRAM)
  const run = promisify(execFile)(process.execPath, [...FLAGS, pathOf(PROGRAM)])
  const { stdout } = await run.catch((failed: { stdout: string }) => failed)
  await remove()
  finished = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line || '{}'))
}, 120_000)

describe('the memory for a body depends on its bytes, not on the number of its chunks', () => {
  it.each(['receiver.node', 'receiver.fastify', 'receiver.fetch'])(
    'deliveries of 256 KiB in one-byte chunks take little memory: %s',
    (reader) => expect(finished).toContainEqual({ reader }),
  )

  it.each(['client, dispatcher', 'client, fetch', 'client, document'])(
    'a response of 1 MiB in small chunks takes little memory: %s',
    (reader) => expect(finished).toContainEqual({ reader }),
  )

  it('a request of 256 KiB in one-byte chunks to the fake takes little memory', () => {
    expect(finished).toContainEqual({ reader: 'fake' })
  })
})
