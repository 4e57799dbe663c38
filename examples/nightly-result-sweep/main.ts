import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PathologyClient, type Result } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { sweep } from './sweep.js'
import { readWatchList, writeWatchList } from './watch-list.js'

// npx tsx examples/nightly-result-sweep/main.ts
// Simulates three nights with a fake in this process. In production, a scheduler such as cron runs one sweep each night.
await using fake = new FakePathologyService({ startTime: Date.now(), centreCount: 10 })
await using client = new PathologyClient({ ...fake.clientOptions(), logger: console })
const path = join(await mkdtemp(join(tmpdir(), 'pathology-sweep-')), 'watch-list.json')
const copies = new Map<string, string>()

await night('first night: all existing results')

const incoming = fake.results.receiveIncoming({ partial: true })
await night('second night: one INCOMING result')

fake.results.complete(incoming.uuid)
await night('third night: the INCOMING result is complete')

const status = copies.get(incoming.uuid)
console.log(`${copies.size} results stored; the INCOMING result is ${status}`)

async function night(title: string): Promise<void> {
  await fake.clock.advance({ days: 1 })
  const list = await readWatchList(path)
  const keep = async ({ uuid, status }: Result): Promise<void> => {
    copies.set(uuid, status) // in production, overwrite your copy of the result
  }
  const report = await sweep(client, list, keep, fake.clock.now) // by default `sweep` uses the system clock
  await writeWatchList(path, list)
  console.log(`${title}: ${report.found} new, ${report.changed} changed, ${report.watched} watched`)
}
