import { expect, it } from 'vitest'
import { checkComplete } from '../../../src/mirror/sweep/read-pages.js'

const records = (count: number): object[] => Array.from({ length: count }, () => ({}))
const info = (resultCount: number) => ({ cursor: 'c', count: 20, resultCount })

it.each([
  ['a full page without a cursor', { items: records(20), pageInfo: undefined }],
  ['a page with fewer records than it counts', { items: records(19), pageInfo: info(20) }],
])('in a sweep, %s is rejected, so that the sweep is repeated (§4.7)', (_, page) => {
  expect(() => checkComplete(page)).toThrow(expect.objectContaining({ code: 'RESPONSE_INCOMPLETE_LIST' }))
})

it.each([
  ['a short page without a cursor', { items: records(19), pageInfo: undefined }],
  ['a full page with a cursor', { items: records(20), pageInfo: info(20) }],
  ['an empty page', { items: [], pageInfo: undefined }],
])('in a sweep, %s is complete (§4.7)', (_, page) => {
  expect(() => checkComplete(page)).not.toThrow()
})
