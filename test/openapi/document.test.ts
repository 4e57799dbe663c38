import { expect, it } from 'vitest'

import { readContractTypes } from '../../scripts/openapi/contract-types.js'
import { openApiText } from '../../scripts/openapi/document.js'
import { EVENT_DATA } from '../../scripts/openapi/webhooks.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES } from '../../src/contract/error-codes.js'
import { EVENT_NAMES } from '../../src/contract/events.js'
import { ACCEPT_HEADERS, API_VERSIONS } from '../../src/contract/versions.js'
import { at, obj, str, strings } from '../conformance/support/json.js'
import { breaches, document, operationOf, operationsOf, partsOf, text } from './document.js'

const schemas = obj(at(document, 'components', 'schemas'))

/** A status as a number, or `default`. */
const asKey = (status: string): number | string => (status === 'default' ? status : Number(status))

it('openapi.json is up to date: npm run openapi', { timeout: 60_000 }, async () => {
  expect(text).toBe(await openApiText())
})

it('openapi.json describes every property of every body, and every parameter', () => {
  const parts = partsOf(document)
  expect(parts.length).toBeGreaterThan(400)
  expect(parts.filter(({ description }) => !/\w{3}/.test(description)).map(({ place }) => place)).toEqual([])
})

it('openapi.json has an operation for every endpoint, with its own name and responses in every version (§4)', () => {
  for (const { id, method, path } of ENDPOINTS) {
    const operation = operationOf(method, path)
    expect(operation?.id).toBe(id)
    const success = obj(obj(operation?.row['responses'])['200'])
    const types = [...API_VERSIONS.map((version) => ACCEPT_HEADERS[version]), 'application/json']
    expect(Object.keys(obj(success['content'])).toSorted()).toEqual(types.toSorted())
  }
  expect(operationsOf('paths')).toHaveLength(ENDPOINTS.length + 1)
})

it('openapi.json has every event (§6)', () => {
  const names = operationsOf('webhooks').map(({ pointer: [, name] }) => name)
  expect(names.toSorted()).toEqual(EVENT_NAMES.toSorted())
})

it('openapi.json has each error under the status that the table of codes gives (§7)', () => {
  for (const { id, row } of operationsOf('paths')) {
    for (const [status, response] of Object.entries(obj(row['responses']))) {
      const codes = strings(obj(response)['x-error-codes'] ?? [])
      const shown = codes.map((code) => new Map(Object.entries(ERROR_CODES)).get(code)?.status ?? 'default')
      expect(new Set(shown), `${id} ${status}`).toEqual(new Set(codes.length > 0 ? [asKey(status)] : []))
    }
  }
})

it('openapi.json has every error (§7)', () => {
  const codes = [...text.matchAll(/"x-error-codes": \[([^\]]*)\]/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/\w+/g)].map(([code]) => code),
  )
  expect([...new Set(codes)].toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted())
})

it('openapi.json declares numbers as integers, except where the service has fractions', () => {
  const fractions = partsOf(document).filter(({ type }) => type.includes('number'))
  const names = fractions.map(({ place }) => place.slice(place.lastIndexOf('/') + 1))
  expect([...new Set(names)].toSorted()).toEqual([
    ...['distanceKm', 'east', 'highRange', 'lat', 'lng', 'lowRange', 'maximumDays', 'minimumDays', 'north'],
    ...['price', 'radiusKm', 'refIntervalHigh', 'refIntervalLow', 'south', 'value', 'west'],
  ])
})

it('openapi.json has the formats of ids, URLs and times', () => {
  const formatOf = (name: string): unknown[] => {
    const parts = partsOf(document).filter(({ place }) => place.endsWith(`/${name}`))
    return [...new Set(parts.map(({ format }) => format))]
  }
  expect(formatOf('uuid')).toEqual(['uuid'])
  expect(formatOf('resultsUuid')).toEqual(['uuid'])
  expect(formatOf('referralAttachment')).toEqual(['uri'])
  expect(formatOf('updatedAt')).toEqual(['date-time'])
})

it('openapi.json has an example of every body, which its schema accepts', () => {
  for (const { id, row, pointer } of operationsOf('paths')) {
    const types = Object.entries(obj(obj(obj(row['responses'])['200'])['content']))
    for (const [type, content] of types) {
      const [name = ''] = Object.keys(obj(obj(content)['examples']))
      const example = at(document, 'components', 'examples', name, 'value')
      const place = [...pointer, 'responses', '200', 'content', type, 'schema']
      expect(breaches(place, example), `${id} ${type}`).toEqual([])
    }
  }
  for (const { id, row, pointer } of [...operationsOf('paths'), ...operationsOf('webhooks')]) {
    const body = at(row, 'requestBody', 'content', 'application/json', 'example')
    if (body === undefined) continue
    const place = [...pointer, 'requestBody', 'content', 'application/json', 'schema']
    expect(breaches(place, body), id).toEqual([])
  }
})

it('openapi.json has a schema for the body of each event (§6)', () => {
  for (const { row } of operationsOf('webhooks')) {
    const $ref = str(at(row, 'requestBody', 'content', 'application/json', 'schema', '$ref'))
    expect($ref).toMatch(/^#\/components\/schemas\/\w+Event$/)
  }
})

it('openapi.json has the fields of the types of events (§6)', { timeout: 60_000 }, () => {
  const types = readContractTypes()
  for (const name of Object.keys(EVENT_DATA)) {
    const fields = types.fieldsOf(name)?.map((field) => field.name) ?? []
    // The type says that the event of the directory has no entity.
    const sent = fields.filter((field) => name !== 'CentresUpdatedData' || field !== 'uuid')
    expect(Object.keys(obj(at(schemas[name], 'properties'))).toSorted(), name).toEqual(sent.toSorted())
  }
})

it('openapi.json has no construct that generators cannot type: parts without a type, classes of statuses', () => {
  const bodies = ['Order', 'ReferralPatch', 'PriceRequest', 'ProviderSave', 'WebhookUpdate']
  for (const name of bodies) expect(Object.keys(obj(schemas[name]))).not.toContain('anyOf')
  expect(text).not.toMatch(/"[1-5]XX": \{\n\s+"\$ref/)
  for (const { row } of operationsOf('paths')) {
    expect(Object.keys(obj(row['responses'])).filter((status) => /XX/.test(status))).toEqual([])
  }
})
