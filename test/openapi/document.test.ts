import { describe, expect, it } from 'vitest'

import { openApiText } from '../../scripts/openapi/document.js'
import { OPERATIONS } from '../../scripts/openapi/operations.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES } from '../../src/contract/error-codes.js'
import { EVENT_NAMES } from '../../src/contract/events.js'
import { API_VERSIONS, acceptHeader } from '../../src/contract/versions.js'
import { obj } from '../conformance/support/json.js'
import { document, operationOf, operationsOf, partsOf, text } from './document.js'

describe('openapi.json', () => {
  it('is up to date: npm run openapi', { timeout: 60_000 }, () => {
    expect(text).toBe(openApiText())
  })

  it('describes every property of every body, and every parameter', () => {
    const parts = partsOf(document)
    expect(parts.length).toBeGreaterThan(400)
    expect(parts.filter(({ description }) => !/\w{3}/.test(description)).map(({ place }) => place)).toEqual(
      [],
    )
  })

  it('§4 has an operation for every endpoint, of its own name, answering in every version', () => {
    for (const { id, method, path } of ENDPOINTS) {
      const operation = operationOf(method, path)
      expect(operation?.id).toBe(id)
      const success = obj(obj(operation?.row['responses'])['200'])
      const types = [...API_VERSIONS.map((version) => acceptHeader(version)), 'application/json']
      expect(Object.keys(obj(success['content'])).toSorted()).toEqual(types.toSorted())
    }
    expect(operationsOf('paths')).toHaveLength(ENDPOINTS.length + 1)
  })

  it('§6 has every event', () => {
    const names = operationsOf('webhooks').map(({ pointer: [, name] }) => name)
    expect(names.toSorted()).toEqual(EVENT_NAMES.toSorted())
  })

  it('§7 names an error under the status that the table gives it', () => {
    const placed = Object.values(OPERATIONS).flatMap(({ errors }) => Object.entries(errors))
    for (const [status, codes] of placed) {
      const statuses = codes.map((code) => ERROR_CODES[code].status)
      expect(statuses.every((shown) => shown === null || String(shown) === status)).toBe(true)
    }
  })

  it('§7 leaves no error out', () => {
    const codes = [...text.matchAll(/"x-error-codes": \[([^\]]*)\]/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/\w+/g)].map(([code]) => code),
    )
    expect([...new Set(codes)].toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted())
  })
})
