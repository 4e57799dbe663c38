import type { Order, PathologyClient } from 'pathology-sdk'
import { exampleOrder } from '../support/orders.js'

/** Creates an order for a fictional patient: a bundle, and tests under Medicare by a registered doctor. */
export async function demoOrder(client: PathologyClient): Promise<Order> {
  const [bundle] = await client.bundles.list().toArray({ limit: 1 })
  const tests = await client.tests.list().toArray()
  const providers = await client.providers.list().toArray()
  const doctor = providers.find(({ hasSignature }) => hasSignature)
  if (bundle === undefined || doctor === undefined) throw new Error('the fake has no bundle or no doctor')
  return exampleOrder({
    referenceNumber: 'demo-1',
    bundleId: bundle.id,
    medicareTests: tests
      .filter(({ medicareListed }) => medicareListed)
      .slice(0, 2)
      .map(({ id }) => id),
    medicareCardNumber: '2123 45670 1/1',
    orderingPractitioner: {
      name: doctor.name,
      address: doctor.address,
      providerNumber: doctor.providerNumber,
    },
    metadata: { source: 'demo' },
  })
}
