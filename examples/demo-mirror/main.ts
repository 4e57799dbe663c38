import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'

import { demoOrder } from '../demo/order.js'

const MACHINE = fileURLToPath(new URL('./machine.ts', import.meta.url))
const EVENTS = [
  'referral.created',
  'referral.issued',
  'referral.complete',
  'result.created',
  'result.complete',
]

await using fake = await FakePathologyService.start({
  ...{ port: 0, allowLoopbackWebhooks: true, seedReferrals: 60 },
})
await using client = new PathologyClient(fake.clientOptions())
const folder = await mkdtemp(join(tmpdir(), 'pathology-mirror-demo-'))
const port = await freePort()

note(
  `fake service with ${fake.referrals.all().length} referrals at ${fake.baseUrl}; database: PGlite in a folder`,
)
let machine = await startMachine()

await ask(machine, 'backfill', (read) => process.stdout.write(`\r  backfill: ${read} records`))
process.stdout.write('\n')
await client.webhooks.create({ url: `http://127.0.0.1:${port}/webhooks`, events: EVENTS })

fake.deliveries.fault({ kind: 'duplicate', times: 3 })
fake.deliveries.fault({ kind: 'lost', eventName: 'referral.complete', times: 1 })
// The results arrive an hour after the order. The mirror assumes that an event also announces changes up to one second
// after the event's `updatedAt`. If the results arrived at once, the events of the order could also announce the change
// whose own event is lost. The sweep would then not report this change as recovered.
const first = await orderAndComplete(async () => {
  await fake.settled()
  await ask(machine, 'idle')
  await fake.clock.advance({ hours: 1 })
})
note(`ordered and completed ${first} referrals; some events were sent twice, and one event was lost`)

const second = orderAndComplete()
await new Promise((resolve) => setTimeout(resolve, 150))
machine.kill('SIGKILL')
await once(machine, 'exit')
note('kill -9 in the middle of the next order')
await second
await fake.settled()
machine = await startMachine()
note('restarted with the same database folder')
await ask(machine, 'idle')

const sweep = await ask(machine, 'sweep')
note(
  `sweep: ${number(sweep, 'recovered')} changes recovered that no event announced, with ${number(sweep, 'requests')} requests`,
)
await ask(machine, 'idle')
const verified = await ask(machine, 'verify')
note(`verify: ${number(verified, 'compared')} records compared, ${number(verified, 'differ')} differ`)
const handled = await ask(machine, 'handled')
note(`handler: ${number(handled, 'changes')} changes, ${number(handled, 'handled')} handled`)
process.stdout.write(`\n${String(await ask(machine, 'trend'))}\n`)

await ask(machine, 'stop')
await rm(folder, { recursive: true, force: true })

async function orderAndComplete(beforeResults = async (): Promise<void> => undefined): Promise<number> {
  const { referrals } = await client.referrals.create(await demoOrder(client))
  await beforeResults()
  for (const { uuid } of referrals) fake.referrals.complete(uuid)
  return referrals.length
}

async function startMachine(): Promise<ChildProcess> {
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const child = fork(MACHINE, {
    execArgv: ['--import', 'tsx'],
    env: {
      ...process.env,
      ...{ DEMO_FOLDER: folder, DEMO_PORT: String(port), PATHOLOGY_WEBHOOK_SECRET: fake.signingSecret },
      ...{ PATHOLOGY_BASE_URL: baseUrl, PATHOLOGY_AUTH_URL: authUrl },
      ...{ PATHOLOGY_CLIENT_ID: clientId, PATHOLOGY_CLIENT_SECRET: clientSecret },
    },
  })
  await messageOf(child)
  await ask(child, 'start')
  return child
}

/** Resolves with the next message of the machine. Rejects if the machine ends instead. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code]) =>
        Promise.reject(new Error(`the machine ended with ${code}`)),
      ),
    ])
  } finally {
    waiting.abort()
  }
}

/** Sends a command to the machine, and returns its result. */
async function ask(
  child: ChildProcess,
  command: string,
  progress?: (read: number) => void,
): Promise<unknown> {
  child.send(command)
  for (;;) {
    const reply = Object(await messageOf(child))
    if (Reflect.has(reply, 'error')) throw new Error(String(Reflect.get(reply, 'error')))
    if (!Reflect.has(reply, 'progress')) return Reflect.get(reply, 'result')
    progress?.(Number(Reflect.get(reply, 'progress')))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function number(report: unknown, name: string): number {
  return Number(Reflect.get(Object(report), name))
}

function note(text: string): void {
  process.stdout.write(`${text}\n`)
}
