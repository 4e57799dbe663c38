import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { PathologyClient, type Referral, type Result } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'

import { biomarkerTable } from './biomarker-table.js'
import { demoOrder } from './order.js'
import { startReceiver } from './receiver.js'
import { Timeline } from './timeline.js'

const timeline = new Timeline(process.stdout)
const folder = await mkdtemp(join(tmpdir(), 'pathology-demo-'))

await using fake = await FakePathologyService.start({ port: 0, allowLoopbackWebhooks: true })
timeline.note(`fake service listening at ${fake.baseUrl}`)
await using client = new PathologyClient({ ...fake.clientOptions(), appInfo: { name: 'pathology-demo' } })
await using receiver = await startReceiver(fake.signingSecret)

const webhook = await client.webhooks.create({ url: receiver.url, events: [...receiver.eventNames] })
timeline.note(`subscribed ${webhook.url} to ${webhook.events.length} events`)

const order = await client.referrals.create(await demoOrder(client))
timeline.note(`ordered: ${order.referrals.length} referrals under order key ${order.orderKey}`)

const saved = await savePdfs()
const results = await followResults(order.referrals)
const all = await client.referrals.list({ sort: 'desc', prefetch: true }).toArray()
timeline.note(`listed ${all.length} referrals of the organisation, page by page`)

for (const result of results) process.stdout.write(biomarkerTable(result))
process.stdout.write(`\nReferral PDFs:\n${saved.map((path) => `  ${path}\n`).join('')}`)

/** Retrieves each referral after its `referral.issued` event and saves its PDF. */
async function savePdfs(): Promise<string[]> {
  const paths: string[] = []
  for (const placed of order.referrals) {
    const event = await receiver.next('referral.issued', placed.uuid)
    timeline.event(event.eventName, 'signature verified, not a duplicate')
    const referral = await client.referrals.retrieve(placed.uuid)
    const document = await client.referrals.document(placed.uuid)
    const { path, bytes } = await document.saveTo(join(folder, `${placed.uuid}.pdf`))
    timeline.note(`saved the ${kindOf(referral)} referral: ${bytes} bytes`)
    paths.push(path)
  }
  return paths
}

/** Simulates partial and then complete results of the laboratory, and retrieves the result after each event. */
async function followResults(referrals: readonly Referral[]): Promise<Result[]> {
  const latest = new Map<string, Result>()
  for (const { uuid } of referrals) {
    for (const step of ['referral.partial_results', 'referral.complete'] as const) {
      if (step === 'referral.partial_results') fake.referrals.partialResults(uuid)
      else fake.referrals.complete(uuid)
      const event = await receiver.next(step, uuid)
      const { resultsUuid } = await client.referrals.retrieve(uuid)
      if (resultsUuid === null) continue
      const result = await client.results.retrieve(resultsUuid)
      latest.set(uuid, result)
      timeline.event(event.eventName, `${result.biomarkers.length} biomarkers`)
    }
  }
  return [...latest.values()]
}

function kindOf(referral: Referral): string {
  return referral.medicare === true ? 'Medicare' : 'commercial'
}
