import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PathologyClient, type Result } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { sweep } from './sweep.js'
import { readWatchList, writeWatchList } from './watch-list.js'

// npx tsx examples/nightly-result-sweep/main.ts
// Simulates three nights against a fake in this process. In production, cron runs one `night()`.
await using fake = new FakePathologyService({ startTime: Date.now(), centreCount: 10 })
await using client = new PathologyClient({ ...fake.clientOptions(), logger: console })
const path = join(await mkdtemp(join(tmpdir(), 'pathology-sweep-')), 'watch-list.json')
const copies = new Map<string, string>()

await night('first night: everything there is')

const incoming = fake.results.receiveIncoming({ partial: true })
await night('second night: one result came by itself')

fake.results.complete(incoming.uuid)
await night('third night: it is complete')

const last = copies.get(incoming.uuid)
console.log(`${copies.size} results kept; the last one is ${last}`)

async function night(title: string): Promise<void> {
  await fake.clock.advance({ days: 1 })
  const list = await readWatchList(path)
  const keep = async ({ uuid, status }: Result): Promise<void> => {
    copies.set(uuid, status) // overwrite your copy: this is the complete result
  }
  const report = await sweep(client, list, keep, fake.clock.now) // without the last argument it uses the system clock
  await writeWatchList(path, list)
  console.log(`${title}: ${report.found} new, ${report.changed} changed, ${report.watched} watched`)
}
