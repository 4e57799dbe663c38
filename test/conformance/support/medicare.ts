import { str } from './json.js'
import { type Body, cards, pngUri, providerNumber, recordsOf } from './samples.js'
import type { Service } from './service.js'

/** Data for Medicare orders: tests of both kinds, a doctor with a signature and one without. */
export interface MedicareSetting {
  readonly listed: readonly string[]
  readonly unlisted: readonly string[]
  readonly unsigned: string
  readonly practitioner: Body
  readonly medicare: Body
}

const details = { name: 'Dr Ada Quill', address: '1 Rooms Road, Carlton VIC 3053' }

export const setUpMedicare = async (service: Service): Promise<MedicareSetting> => {
  const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
  const idsWhere = (medicareListed: boolean): string[] =>
    catalogue.filter((entry) => entry['medicareListed'] === medicareListed).map((entry) => str(entry['id']))
  const [signed, unsigned] = [providerNumber(411001), providerNumber(411002)]
  for (const body of [
    { ...details, providerNumber: signed, encodedSignature: pngUri },
    { ...details, providerNumber: unsigned },
  ])
    await service.call('POST', '/v1/providers', { body })
  const practitioner = { ...details, providerNumber: signed }
  const listed = idsWhere(true)
  const medicare = {
    medicareTests: listed.slice(0, 2),
    orderingPractitioner: practitioner,
    medicareCardNumber: cards.eleven,
  }
  return { listed, unlisted: idsWhere(false), unsigned, practitioner, medicare }
}
