import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('small-chunks-program.ts', import.meta.url))

/** Megabytes of heap: a list of the chunks takes more. */
const HEAP = 48

/** Readers that read their body to its end, in a process with this heap. */
let finished: readonly unknown[]

beforeAll(async () => {
  const flags = ['--import', 'tsx', `--max-old-space-size=${HEAP}`]
  const run = promisify(execFile)(process.execPath, [...flags, PROGRAM])
  const { stdout } = await run.catch((failed: { stdout: string }) => failed)
  finished = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line || '{}'))
}, 120_000)

describe('the memory for a body depends on its bytes, not on the number of its chunks', () => {
  it.each(['receiver.node', 'receiver.fastify', 'receiver.fetch'])(
    'deliveries of 512 KiB in one-byte chunks: %s',
    (reader) => expect(finished).toContainEqual({ reader }),
  )

  it.each(['client, dispatcher', 'client, fetch', 'client, document'])(
    'a response of 2 MiB in small chunks: %s',
    (reader) => expect(finished).toContainEqual({ reader }),
  )

  it('a request of 512 KiB in one-byte chunks to the fake', () => {
    expect(finished).toContainEqual({ reader: 'fake' })
  })
})
