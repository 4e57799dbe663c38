import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import {
  arr,
  at,
  isObject,
  type Json,
  type JsonObject,
  obj,
  objects,
  parseJson,
  str,
} from '../conformance/support/json.js'

/** The published document, as its users read it. */
export const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
export const document = obj(parseJson(text))

/** A request and its response as transmitted. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly accept: string | undefined
  readonly status: number
  readonly body: unknown
}

/** An operation of the document, and its path. */
export interface Operation {
  readonly id: string
  readonly pointer: readonly string[]
  readonly row: JsonObject
}

/** A property of a schema, or a parameter. */
export interface Part {
  readonly place: string
  readonly description: string
  readonly type: readonly Json[]
  readonly format: Json | undefined
}

/** Every property of a schema and every parameter below a place in the document. */
export function partsOf(value: Json | undefined, place = ''): Part[] {
  if (Array.isArray(value)) return value.flatMap((part, index) => partsOf(part, `${place}/${index}`))
  if (!isObject(value)) return []
  const named = [
    ...Object.entries(obj(value['properties'] ?? {})),
    ...arr(value['parameters'] ?? []).map((part) => [str(obj(part)['name']), part] as const),
  ]
  const parts = named.map(([name, part]) => {
    const { description, schema, type = at(schema, 'type'), format = at(schema, 'format') } = obj(part)
    return {
      place: `${place}/${name}`,
      description: str(description ?? ''),
      type: [type ?? []].flat(),
      format,
    }
  })
  return [...parts, ...Object.entries(value).flatMap(([key, part]) => partsOf(part, `${place}/${key}`))]
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi.json')
const compiled = new Map<string, ValidateFunction>()

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Every operation under `paths` or `webhooks`. */
export function operationsOf(part: 'paths' | 'webhooks'): Operation[] {
  return Object.entries(obj(document[part])).flatMap(([path, item]) =>
    METHODS.filter((method) => method in obj(item)).map((method) => {
      const row = obj(obj(item)[method])
      return { id: str(row['operationId']), pointer: [part, path, method], row }
    }),
  )
}

const operations = operationsOf('paths')

/** The operation of a request; `undefined` when the document has none. */
export function operationOf(method: string, path: string): Operation | undefined {
  return operations.find(({ pointer: [, template = '', name] }) => {
    const pattern = template.replaceAll(/\{\w+\}/g, '[^/]+')
    return name === method.toLowerCase() && new RegExp(`^${pattern}$`).test(path)
  })
}

/** Violations of the schema at a path in the document by a value; empty for none. */
export function breaches(pointer: readonly string[], value: unknown): string[] {
  const $ref = `openapi.json#/${pointer.map(escaped).join('/')}`
  const validate = compiled.get($ref) ?? ajv.compile({ $ref })
  compiled.set($ref, validate)
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
}

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Path of the response of an operation for a status: the exact one, otherwise the default. */
function responsesAt({ row, pointer }: Operation, status: number): (readonly string[])[] {
  const responses = obj(row['responses'])
  const keys = [String(status), 'default'].filter((name) => name in responses)
  return keys.map((key) => {
    const reference = obj(responses[key])['$ref']
    return typeof reference === 'string'
      ? reference.replace('#/', '').split('/')
      : [...pointer, 'responses', key]
  })
}

const placeAt = (pointer: readonly string[]): JsonObject => obj(at(document, ...pointer))

/** Violations of the document by a response. */
export function problemsOf({ method, path, accept, status, body }: Exchange): string[] {
  const operation = operationOf(method, path)
  if (operation === undefined) return [`no operation for ${method} ${path}`]
  const places = responsesAt(operation, status)
  const [place] = places
  if (place === undefined) return [`${operation.id} has no response for ${status}`]
  const content = obj(placeAt(place)['content'])
  const type = accept !== undefined && accept in content ? accept : 'application/json'
  return [...breaches([...place, 'content', type, 'schema'], body), ...codeProblems(places, body)].map(
    (problem) => `${operation.id} ${status}: ${problem}`,
  )
}

/** An error's code must be listed for its status, or for the default (§7). */
function codeProblems(places: readonly (readonly string[])[], body: unknown): string[] {
  const code = typeof body === 'object' && body !== null ? Reflect.get(body, 'code') : undefined
  const named = places.flatMap((place) => placeAt(place)['x-error-codes'] ?? [])
  if (typeof code !== 'string' || named.length === 0 || named.includes(code)) return []
  return [`${code} is not among ${named.join(', ')}`]
}

/** Violations of the document by an accepted request: unknown parameters, values, the body. */
export function requestProblems(operation: Operation, query: string, body: unknown): string[] {
  const { id, pointer, row } = operation
  const parameters = 'parameters' in row ? objects(row['parameters']) : []
  const sent = [...new URLSearchParams(query)].flatMap(([name, text]) => {
    const index = parameters.findIndex((parameter) => parameter['name'] === name)
    if (index === -1) return [`${id} has no parameter ${name}`]
    const type = placeAt([...pointer, 'parameters', String(index), 'schema'])['type']
    return breaches([...pointer, 'parameters', String(index), 'schema'], read(text, type))
  })
  if (!('requestBody' in row)) return sent
  return [...sent, ...breaches([...pointer, 'requestBody', 'content', 'application/json', 'schema'], body)]
}

/** The value of a parameter in its type (style `form`, `explode: false`). */
function read(value: string, type: unknown): unknown {
  if (type === 'array') return value.split(',')
  if (type === 'number' || type === 'integer') return Number(value)
  return type === 'boolean' ? value === 'true' : value
}
