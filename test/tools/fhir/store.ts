import { isOk } from '@medplum/core'
import { FhirRouter, MemoryRepository } from '@medplum/fhir-router'
import type { Bundle, Resource, ResourceType } from '@medplum/fhirtypes'

const TYPES = ['Patient', 'PractitionerRole', 'ServiceRequest', 'Observation', 'DiagnosticReport'] as const

/** Returns Medplum's FHIR server over an empty store in memory. */
export function emptyStore() {
  const repository = new MemoryRepository()
  const router = new FhirRouter()
  const count = async (resourceType: (typeof TYPES)[number]): Promise<number> =>
    (await repository.search({ resourceType, count: 1_000 })).entry?.length ?? 0
  return {
    /** Returns the number of resources of a type. */
    count,
    /** Returns a resource. */
    read: (resourceType: ResourceType, id: string): Promise<Resource> =>
      repository.readResource(resourceType, id),
    /** Sends a transaction, and returns the number of resources that the store holds after it. */
    async send(bundle: Bundle): Promise<number> {
      const body = structuredClone(bundle)
      const request = {
        method: 'POST',
        url: '',
        pathname: '',
        body,
        params: {},
        query: {},
        headers: {},
      } as const
      const [outcome] = await router.handleRequest(request, repository)
      if (!isOk(outcome)) throw new Error(JSON.stringify(outcome.issue))
      const counts = await Promise.all(TYPES.map(count))
      return counts.reduce((sum, number) => sum + number, 0)
    },
  }
}
