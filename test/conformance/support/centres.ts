import { arr, at, type JsonObject, num, obj, objects, str } from './json.js'
import type { Answer, Query, Service } from './service.js'

/** Reads the directory, and computes its filters over a copy for comparison. */
export const centrePath = '/v1/collection-centres'

export interface Page {
  readonly answer: Answer
  readonly centres: JsonObject[]
  readonly total: number
}

export const ask = async (service: Service, query: Query = ''): Promise<Page> => {
  const answer = await service.call('GET', centrePath, { query })
  if (answer.status !== 200) throw new Error(`${JSON.stringify(query)}: ${answer.text}`)
  const body = obj(answer.body)
  return { answer, centres: objects(body['collectionCentres']), total: num(body['totalResults']) }
}

export const uuids = (centres: readonly JsonObject[]): string[] =>
  centres.map((centre) => str(centre['uuid']))
export const text = (centre: JsonObject, name: string): string => {
  const value = centre[name]
  return typeof value === 'string' ? value : ''
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180
export const kilometres = (lat: number, lng: number, centre: JsonObject): number => {
  const [toLat, toLng] = [num(centre['lat']), num(centre['lng'])]
  const half = Math.sin(radians(toLat - lat) / 2) ** 2
  const turn = Math.sin(radians(toLng - lng) / 2) ** 2
  return 12_742 * Math.asin(Math.sqrt(half + Math.cos(radians(lat)) * Math.cos(radians(toLat)) * turn))
}

export const found = (centre: JsonObject, words: string): boolean =>
  ['name', 'venueName', 'address', 'city'].some((name) =>
    text(centre, name).toLowerCase().includes(words.toLowerCase()),
  )

export const inside = (
  centre: JsonObject,
  box: Readonly<Record<'north' | 'south' | 'east' | 'west', number>>,
): boolean => {
  const [lat, lng] = [num(centre['lat']), num(centre['lng'])]
  return lat <= box.north && lat >= box.south && lng <= box.east && lng >= box.west
}

/** By name, in any collation that a service may use: by code unit, by folded case, or by locale. */
export const byName = (centres: readonly JsonObject[]): boolean => {
  const names = centres.map((centre) => text(centre, 'name'))
  const orders: ((a: string, b: string) => number)[] = [
    (a, b) => Number(a > b) - Number(a < b),
    (a, b) => Number(a.toLowerCase() > b.toLowerCase()) - Number(a.toLowerCase() < b.toLowerCase()),
    new Intl.Collator('en-AU').compare,
  ]
  return orders.some((order) =>
    names.every((name, index) => index === 0 || order(names[index - 1] ?? '', name) <= 0),
  )
}

export const periods = (day: JsonObject): [string, string][] =>
  arr(day['periods']).map((period) => [str(at(period, 'opens')), str(at(period, 'closes'))])
