import { randomUUID } from 'node:crypto'
import { at, type Json, type JsonObject, obj, objects, one, str } from './json.js'
import type { Answer, Query, Service } from './service.js'

/** Medicare cards: one with a valid check digit and an IRN, and one with a wrong check digit. */
export const cards = { eleven: '29518731221', badCheck: '29518731351' }

/** Provider numbers by their public check rule, so that a number is never refused because of its form. */
export const providerNumber = (stem: number, location = '0'): string => {
  const digits = String(stem).padStart(6, '0')
  const places = '0123456789ABCDEFGHJKLMNPQRTUVWXY'
  const weights = [3, 5, 8, 4, 2, 1]
  const sum = weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0)
  const check = 'YXWTLKJHFBA'[(sum + 6 * places.indexOf(location)) % 11] ?? ''
  return `${digits}${location}${check}`
}

export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
export const pngUri = `data:image/png;base64,${png}`

export const address = {
  addressLine1: '12 Wattle Street',
  addressLine2: 'Unit 4',
  city: 'Darwin',
  state: 'NT',
  postCode: '0810',
  country: 'Australia',
}

export const patient = {
  firstName: 'Matilda',
  lastName: "O'Reilly-Nguyen",
  email: 'matilda@example.com',
  phone: '0400000000',
  address,
  dob: '1984-02-29',
  gender: 'female',
}

/** A body to send. The service checks it, so any field may have any value. */
export type Body = Readonly<Record<string, unknown>>

export const order = (changes: Body = {}): Body => ({
  ...patient,
  referenceNumber: `conformance-${randomUUID()}`,
  ...changes,
})

export const absentUuid = '3f2b8c1e-6a4d-4b7e-9c55-0d1e2f3a4b5c'

export const place = async (service: Service, changes: Body, version = '1.1.0'): Promise<Answer> =>
  service.call('POST', '/v1/referrals', { body: order(changes), version })

export const placed = async (service: Service, changes: Body, version = '1.1.0'): Promise<JsonObject> => {
  const answer = await place(service, changes, version)
  if (answer.status !== 200) throw new Error(`order refused: ${answer.text}`)
  return one(answer.body)
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Reads until a response matches or eight seconds have passed, because a service may issue a referral at once
 * or later.
 */
export const until = async <T>(ask: () => Promise<T>, suits: (value: T) => boolean): Promise<T> => {
  for (let tries = 0; tries < 400; tries += 1) {
    const value = await ask()
    if (suits(value)) return value
    await pause(20)
  }
  throw new Error('what was waited for did not come')
}

export const referralOf = async (service: Service, uuid: string): Promise<JsonObject> =>
  obj((await service.call('GET', `/v1/referrals/${uuid}`)).body)

export const issued = async (service: Service, changes: Body): Promise<JsonObject> => {
  const referral = await placed(service, changes)
  return until(
    () => referralOf(service, str(referral['uuid'])),
    (now) => now['status'] === 'ISSUED',
  )
}

/** The records of a response with any wrapper: those of `tests`, `biomarkers` and `results` are not documented (§4.2, §4.3). */
export const recordsOf = (body: Json): JsonObject[] => {
  if (Array.isArray(body)) return objects(body)
  const lists = Object.values(obj(body)).filter((value) => Array.isArray(value))
  if (lists.length !== 1) throw new Error('expected exactly one list in the response')
  return objects(lists[0])
}

/** Every record of a list, page after page, by the stop rule of §4.7. */
export const wholeList = async (
  service: Service,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<JsonObject[]> => {
  const records: JsonObject[] = []
  let next: Query = query
  for (let page = 0; page < 500; page += 1) {
    const answer = await service.call('GET', path, { query: next })
    if (answer.status !== 200) throw new Error(answer.text)
    records.push(...recordsOf(answer.body))
    const cursor = at(answer.body, 'cursor', 'cursor')
    const [count, resultCount] = [
      at(answer.body, 'cursor', 'count'),
      at(answer.body, 'cursor', 'resultCount'),
    ]
    if (typeof cursor !== 'string' || Number(resultCount) < Number(count)) return records
    next = { ...query, cursor }
  }
  throw new Error('the list does not end')
}
