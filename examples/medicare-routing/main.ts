import { ConflictError, checkMedicareCardNumber, PathologyClient } from 'pathology-sdk'
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
console.log(`${provider.name}: signed ${provider.hasSignature}`)

// 2. Request routing: the doctor has signed and asks the laboratories to send results here too.
const vendors = await client.vendors.list().toArray()
await client.providers.requestRouting(doctor.providerNumber, {
  vendorIds: vendors.map(({ id }) => id),
  attestation: { attestedBy: 'Practice manager', doctorSignedAt: new Date() },
})
await followUp('asked')

// 3. Days later, the service's team has forwarded the request, and the laboratories respond.
fake.routing.submit()
await followUp('submitted')
for (const { id } of vendors.slice(1)) fake.routing.confirm(doctor.providerNumber, id)
fake.routing.needAction(doctor.providerNumber, vendors[0]?.id ?? '', 'The clinic address does not match')
await followUp('answered')

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
console.log(`a message on where results go: ${medicare?.routingMessage !== undefined}`)

// 5. The record cannot be retired while results are routed.
await client.providers.retire(doctor.providerNumber).catch((error: unknown) => {
  if (!(error instanceof ConflictError)) throw error
  console.log(`not retired: ${error.code}`)
})

/** Prints the routing status. Check it once a day, because the service sends no event for it. */
async function followUp(when: string): Promise<void> {
  const { connections } = await client.providers.retrieve(doctor.providerNumber)
  for (const { vendorName, status, actionNeededReason } of connections ?? []) {
    console.log(
      `${when}: ${vendorName} ${status}${actionNeededReason === null ? '' : `: ${actionNeededReason}`}`,
    )
  }
}
