import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OrderOutcomeUnknownError, type PlacedOrder } from 'pathology-sdk'
import { reportText } from 'pathology-sdk/display'
import { exampleOrder } from '../support/orders.js'
import { connect } from '../support/service.js'

// npx tsx examples/order-flow/main.ts
// Uses the environment that PATHOLOGY_BASE_URL and the other variables name, otherwise a fake. Set only the values of staging:
// this program places an order, and production does not generate results.
await using service = await connect()
const { client } = service
const folder = await mkdtemp(join(tmpdir(), 'pathology-order-flow-'))

const [test] = await client.tests.list().toArray({ limit: 1 })
if (test === undefined) throw new Error('there is no test to order')
const price = await client.prices.calculate({ tests: [test.id] })
console.log(`${test.name} costs ${(price.grandTotalIncTax / 100).toFixed(2)} dollars`)

const { referrals, recovered } = await place(`order-flow-${Date.now()}`)
console.log(`placed ${referrals.length} referral${recovered ? ', found after its response was lost' : ''}`)

for (const { uuid } of referrals) {
  await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  const { path, bytes } = await client.referrals.document(uuid).saveTo(join(folder, `${uuid}.pdf`))
  console.log(`saved ${path}, ${bytes} bytes`)

  const { resultsUuid } = await client.referrals.generateResults(uuid)
  const result = await client.results.retrieve(resultsUuid ?? '')
  console.log(`the result has ${result.biomarkers.length} biomarkers`) // never print the values: the patient may be real
  const lines = reportText(result).split('\n')
  console.log(`the report has ${lines.length} lines`)
}

/** Places an order. A job that runs again with the same key gets the same order. */
async function place(orderKey: string): Promise<PlacedOrder> {
  const order = exampleOrder({ tests: [test?.id ?? ''], metadata: { example: 'order-flow' } })
  try {
    return await client.referrals.create(order, { orderKey })
  } catch (error) {
    if (!(error instanceof OrderOutcomeUnknownError)) throw error
    console.warn(error.message)
    const placed = await error.recover()
    if (placed === undefined) throw error
    return placed
  }
}
