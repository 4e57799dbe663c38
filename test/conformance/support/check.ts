import { expect } from 'vitest'
import { arr, type Json, obj } from './json.js'
import type { Answer } from './service.js'

/** §7: {error: true, code, message, errorList}, as JSON, with one problem or more that match the mentions. */
export const expectError = (
  answer: Answer,
  status: number,
  code: string,
  ...mentions: readonly RegExp[]
): void => {
  expect(String(answer.headers['content-type'])).toMatch(/json/)
  const body = obj(answer.body)
  expect({ status: answer.status, code: body['code'] }, answer.text).toEqual({ status, code })
  expect(body['error']).toBe(true)
  expect(body['message']).toEqual(expect.stringMatching(/\S/))
  const list = arr(body['errorList'])
  expect(list.length).toBeGreaterThan(0)
  for (const entry of list) expect(entry).toEqual(expect.stringMatching(/\S/))
  for (const mention of mentions) expect(list.join('\n')).toMatch(mention)
}

export const expectOk = (answer: Answer): Json => {
  expect(answer.status, answer.text).toBe(200)
  expect(String(answer.headers['content-type'])).toMatch(/json/)
  return answer.body
}
