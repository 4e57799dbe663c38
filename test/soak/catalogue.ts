import type { PathologyClient } from 'pathology-sdk'
import { isProviderNumber } from 'pathology-sdk/forms'

/** Tests and practitioners for orders, read before the faults begin. */
export interface Catalogue {
  readonly tests: readonly string[]
  readonly medicareTests: readonly string[]
  /** Practitioners who can order under Medicare. */
  readonly providerNumbers: readonly string[]
  readonly vendors: readonly string[]
}

export async function readCatalogue(client: PathologyClient): Promise<Catalogue> {
  const [tests, providers, vendors] = await Promise.all([
    client.tests.list().toArray(),
    client.providers.list().toArray(),
    client.vendors.list().toArray(),
  ])
  return {
    tests: tests.map(({ id }) => id),
    medicareTests: tests.filter(({ medicareListed }) => medicareListed).map(({ id }) => id),
    providerNumbers: providers
      .filter(({ hasSignature }) => hasSignature)
      .map(({ providerNumber }) => providerNumber),
    vendors: vendors.map(({ id }) => id),
  }
}

/** A provider number by its public check rule (§2.3). */
export function providerNumber(stem: number): string {
  const seven = `${String(stem).padStart(6, '0')}A`
  const check = [...'YXWTLKJHFBA'].find((letter) => isProviderNumber(seven + letter))
  if (check === undefined) throw new RangeError(`there is no provider number ${seven}`)
  return seven + check
}
