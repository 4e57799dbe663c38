import * as z from 'zod'
import * as catalogue from '../../src/contract/schemas/catalogue.js'
import * as centre from '../../src/contract/schemas/centre.js'
import { RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'
import * as provider from '../../src/contract/schemas/provider.js'
import * as referral from '../../src/contract/schemas/referral.js'
import * as result from '../../src/contract/schemas/result.js'
import * as shared from '../../src/contract/schemas/shared.js'
import * as webhook from '../../src/contract/schemas/webhook.js'

/** What simple schemas become. */
const SIMPLE: Readonly<Record<string, { readonly name: string; readonly test: string }>> = {
  string: { name: 'text', test: "typeof value === 'string'" },
  number: { name: 'number', test: 'Number.isFinite(value)' },
  int: { name: 'whole', test: 'Number.isSafeInteger(value)' },
  boolean: { name: 'flag', test: "typeof value === 'boolean'" },
  unknown: { name: 'anything', test: 'value !== undefined' },
  record: { name: 'fields', test: 'isFields(value)' },
}

/** A schema's name where it is exported: `person` of `personSchema`. */
const EXPORTED: ReadonlyMap<unknown, string> = new Map(
  [catalogue, centre, provider, referral, result, shared, webhook].flatMap((module) =>
    Object.entries(module).flatMap(([name, schema]) =>
      name.endsWith('Schema') ? [[schema, name.slice(0, -'Schema'.length)] as const] : [],
    ),
  ),
)

/** Writes checks, each once, what one needs before it. */
class Writer {
  readonly lines: string[] = []
  readonly #names = new Map<unknown, string>()

  /** The name of a schema's check, which stands in `lines` by then. */
  nameOf(schema: z.core.$ZodType, hint: string): string {
    const known = this.#names.get(schema)
    if (known !== undefined) return known
    const name = this.#write(schema, EXPORTED.get(schema) ?? hint)
    this.#names.set(schema, name)
    return name
  }

  #write(schema: z.core.$ZodType, hint: string): string {
    if (schema instanceof z.ZodOptional && schema.def.innerType instanceof z.ZodNullable)
      return this.#or(schema.def.innerType.def.innerType, {
        hint,
        name: 'OrNone',
        test: 'value === null || value === undefined',
      })
    if (schema instanceof z.ZodOptional)
      return this.#or(schema.def.innerType, { hint, name: 'OrAbsent', test: 'value === undefined' })
    if (schema instanceof z.ZodNullable)
      return this.#or(schema.def.innerType, { hint, name: 'OrNull', test: 'value === null' })
    if (schema instanceof z.ZodArray) return this.#list(schema.def.element, hint)
    if (schema instanceof z.ZodUnion) return this.#either(schema.def.options, hint)
    if (schema instanceof z.ZodObject) return this.#object(schema.def.shape, hint)
    const simple = SIMPLE[kindOf(schema)]
    if (simple === undefined) throw new TypeError(`no check can be made of a ${schema._zod.def.type}`)
    return this.#define(simple.name, simple.test)
  }

  #or(inner: z.core.$ZodType, or: { hint: string; name: string; test: string }): string {
    const name = this.nameOf(inner, or.hint)
    return this.#define(`${name}${or.name}`, `${or.test} || ${name}(value)`)
  }

  #list(element: z.core.$ZodType, hint: string): string {
    const name = this.nameOf(element, `${hint}Entry`)
    return this.#define(`listOf${capital(name)}`, `isListOf(${name}, value)`)
  }

  #either(options: readonly z.core.$ZodType[], hint: string): string {
    const names = options.map((option) => this.nameOf(option, hint))
    return this.#define(
      names.map((name, index) => (index === 0 ? name : capital(name))).join('Or'),
      calls(names),
    )
  }

  #object(shape: Readonly<Record<string, z.core.$ZodType>>, hint: string): string {
    const tests = Object.entries(shape).map(
      ([field, schema]) => `${this.nameOf(schema, `${hint}${capital(field)}`)}(value['${field}'])`,
    )
    return this.#define(hint, ['isFields(value)', ...tests].join(' && '))
  }

  #define(name: string, test: string): string {
    const line = `const ${name}: Check = (value) => ${test}`
    if (!this.lines.includes(line)) this.lines.push(line)
    return name
  }
}

function calls(names: readonly string[]): string {
  return names.map((name) => `${name}(value)`).join(' || ')
}

function kindOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodNumber)
    return schema.def.checks?.length || 'format' in schema.def ? 'int' : 'number'
  return schema._zod.def.type
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const HEAD = `// Made from the schemas by 'npm run checks'; not to be edited.
import type { ResponseSchemaName } from './schemas/index.js'

/** Tells whether a value is what its schema says. */
export type Check = (value: unknown) => boolean

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOf(entry: Check, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  for (let index = 0; index < value.length; index += 1) {
    if (!entry(value[index])) return false
  }
  return true
}
`

/** The text of `src/contract/checks.ts`, not yet formatted. */
export function checksText(): string {
  const writer = new Writer()
  const table = Object.entries(RESPONSE_SCHEMAS).map(
    ([name, schema]) => `  ${name}: ${writer.nameOf(schema, name.charAt(0).toLowerCase() + name.slice(1))},`,
  )
  return [
    HEAD,
    ...writer.lines,
    '',
    '/** A check of each answer, without the schemas: quick to load, and quick to ask. */',
    'export const CHECKS: Readonly<Record<ResponseSchemaName, Check>> = {',
    ...table,
    '}',
    '',
  ].join('\n')
}
