import { ConflictError, PathologyClient } from 'pathology-sdk'
import { checkMedicareCardNumber } from 'pathology-sdk/forms'
import { FakePathologyService } from 'pathology-sdk/testing'
import { exampleOrder } from '../support/orders.js'
import { drawnSignature } from './signature.js'

// npx tsx examples/medicare-routing/main.ts
await using fake = new FakePathologyService()
await using client = new PathologyClient({ ...fake.clientOptions(), logger: console })
const doctor = {
  providerNumber: '2345671A',
  name: 'Dr Sam Example',
  address: '1 Clinic Road, Hobart TAS 7000',
}

// 1. Save the doctor with a signature. A second call updates the record.
const provider = await client.providers.save({ ...doctor, title: 'Dr', encodedSignature: drawnSignature() })
console.log(`${provider.name}: has a signature: ${provider.hasSignature}`)

// 2. Request routing: with the doctor's attestation, laboratories also send results to your organisation.
const vendors = await client.vendors.list().toArray()
await client.providers.requestRouting(doctor.providerNumber, {
  vendorIds: vendors.map(({ id }) => id),
  attestation: { attestedBy: 'Practice manager', doctorSignedAt: new Date() },
})
await followUp('requested')

// 3. Simulate that the service's team forwards the request, and that the laboratories respond days later.
fake.routing.submit()
await followUp('submitted')
for (const { id } of vendors.slice(1)) fake.routing.confirm(doctor.providerNumber, id)
fake.routing.needAction(doctor.providerNumber, vendors[0]?.id ?? '', 'The clinic address does not match')
await followUp('responded')

// 4. Order tests for a commercial and a Medicare referral.
const card = checkMedicareCardNumber('2123 45670 1/1')
if (!card.valid) throw new Error(card.message)
const { commercial, medicare } = await client.referrals.create(
  exampleOrder({
    tests: ['vitamin-d'],
    medicareTests: ['full-blood-count', 'tsh'],
    medicareCardNumber: card.normalised,
    orderingPractitioner: doctor,
    clinicalNotes: 'Tired for three months',
  }),
)
console.log(`commercial: ${commercial?.tests.length} test; Medicare: ${medicare?.tests.length} tests`)
console.log(`the response has a routing message: ${Boolean(medicare?.routingMessage)}`)

// 5. A record cannot be retired while a laboratory routes results.
await client.providers.retire(doctor.providerNumber).catch((error: unknown) => {
  if (!(error instanceof ConflictError)) throw error
  console.log(`not retired: ${error.code}`)
})

/** Prints the status of each connection. Read the statuses once a day: the service sends no event for a new status. */
async function followUp(when: string): Promise<void> {
  const { connections } = await client.providers.retrieve(doctor.providerNumber)
  for (const { vendorName, status, actionNeededReason } of connections ?? []) {
    console.log(
      `${when}: ${vendorName} ${status}${actionNeededReason === null ? '' : `: ${actionNeededReason}`}`,
    )
  }
}
