import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('small-chunks-program.ts', import.meta.url))

/** Megabytes of heap: a list of the chunks takes more. */
const HEAP = 64

async function run(name: string): Promise<string> {
  const flags = ['--import', 'tsx', `--max-old-space-size=${HEAP}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM, name])
  return stdout
}

describe('the memory for a body depends on its bytes, not on the number of its chunks', () => {
  it.each(['node', 'fastify', 'fetch'])(
    'deliveries of 1 MiB in one-byte chunks, by receiver.%s',
    async (adapter) => expect(await run(adapter)).toContain('done'),
    120_000,
  )

  it.each(['client, dispatcher', 'client, fetch', 'client, document'])(
    'a response of 8 MiB in small chunks: %s',
    async (way) => expect(await run(way)).toContain('done'),
    120_000,
  )

  it('a request of 1 MiB in one-byte chunks to the fake', async () => {
    expect(await run('fake')).toContain('done')
  }, 120_000)
})
