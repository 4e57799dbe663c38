import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { createMirror } from 'pathology-sdk/mirror'
import { emptyStore } from '../../test/tools/fhir/store.js'
import { startMirrorService } from '../support/mirror-service.js'
import { storeResults } from './handler.js'

// npx tsx examples/fhir-medplum/main.ts
// Medplum's FHIR server runs in this process, over a store in memory: run `npm ci --prefix test/tools` first.
const RESULTS = 3
const store = emptyStore()
let held = 0
let transactions = 0

await using service = await startMirrorService()
const { client, secret } = service
const mirror = createMirror({
  database: await PGlite.create(),
  client,
  secret,
  logger: console,
  on: storeResults(async (bundle) => {
    held = await store.send(bundle)
    transactions += 1
  }),
})
await mirror.start()
await service.completeResults(mirror, RESULTS)
for (let n = 0; n < 150 && (await store.count('DiagnosticReport')) < RESULTS; n += 1) await sleep(200)
await mirror.drain()
console.log(
  `${await store.count('DiagnosticReport')} reports in ${held} resources, sent in ${transactions} transactions`,
)
await mirror.stop()
