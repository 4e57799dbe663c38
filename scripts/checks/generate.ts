import * as z from 'zod'
import * as catalogue from '../../src/contract/schemas/catalogue.js'
import * as centre from '../../src/contract/schemas/centre.js'
import { RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'
import * as provider from '../../src/contract/schemas/provider.js'
import * as referral from '../../src/contract/schemas/referral.js'
import * as result from '../../src/contract/schemas/result.js'
import * as shared from '../../src/contract/schemas/shared.js'
import * as webhook from '../../src/contract/schemas/webhook.js'

/** Conditions of simple schemas, and their names in issues. */
const SIMPLE: Readonly<
  Record<string, { readonly name: string; readonly test: string; readonly word: string }>
> = {
  string: { name: 'text', test: "typeof value === 'string'", word: 'string' },
  number: { name: 'number', test: 'Number.isFinite(value)', word: 'number' },
  int: { name: 'whole', test: 'Number.isSafeInteger(value)', word: 'integer' },
  boolean: { name: 'flag', test: "typeof value === 'boolean'", word: 'boolean' },
  unknown: { name: 'anything', test: 'value !== undefined', word: 'value' },
  record: { name: 'fields', test: 'isFields(value)', word: 'object' },
}

/** Name of an exported schema: `person` for `personSchema`. */
const EXPORTED: ReadonlyMap<unknown, string> = new Map(
  [catalogue, centre, provider, referral, result, shared, webhook].flatMap((module) =>
    Object.entries(module).flatMap(([name, schema]) =>
      name.endsWith('Schema') ? [[schema, name.slice(0, -'Schema'.length)] as const] : [],
    ),
  ),
)

/** Writes each check once, after the checks that it calls. */
class Writer {
  readonly lines: string[] = []
  readonly #names = new Map<unknown, string>()

  /** Returns the name of a schema's check, and adds the check to `lines`. */
  nameOf(schema: z.core.$ZodType, hint: string): string {
    const known = this.#names.get(schema)
    if (known !== undefined) return known
    refuseOtherRules(schema)
    const name = this.#write(schema, EXPORTED.get(schema) ?? hint)
    this.#names.set(schema, name)
    return name
  }

  #write(schema: z.core.$ZodType, hint: string): string {
    if (schema instanceof z.ZodOptional && schema.def.innerType instanceof z.ZodNullable) {
      refuseOtherRules(schema.def.innerType)
      return this.#or(schema.def.innerType.def.innerType, {
        hint,
        name: 'OrNone',
        test: 'value === null || value === undefined',
      })
    }
    if (schema instanceof z.ZodOptional)
      return this.#or(schema.def.innerType, { hint, name: 'OrAbsent', test: 'value === undefined' })
    if (schema instanceof z.ZodNullable)
      return this.#or(schema.def.innerType, { hint, name: 'OrNull', test: 'value === null' })
    if (schema instanceof z.ZodArray) return this.#list(schema.def.element, hint)
    if (schema instanceof z.ZodUnion) return this.#either(schema.def.options, hint)
    if (schema instanceof z.ZodObject) return this.#object(schema.def.shape, hint)
    const { name, test, word } = simpleOf(schema)
    return this.#define(name, `${test} || differs(place, field, '${word}')`)
  }

  #or(inner: z.core.$ZodType, or: { hint: string; name: string; test: string }): string {
    const name = this.nameOf(inner, or.hint)
    return this.#define(`${name}${or.name}`, `${or.test} || ${name}(value, place, field)`)
  }

  #list(element: z.core.$ZodType, hint: string): string {
    const name = this.nameOf(element, `${hint}Entry`)
    return this.#define(`listOf${capital(name)}`, `isListOf(${name}, value, place, field)`)
  }

  #either(options: readonly z.core.$ZodType[], hint: string): string {
    const names = options.map((option) => this.nameOf(option, hint))
    const name = names.map((each, index) => (index === 0 ? each : capital(each))).join('Or')
    const list = options.findIndex((option) => option instanceof z.ZodArray)
    const [one, other] = list === 0 ? [names[1], names[0]] : names
    if (list >= 0 && options.length === 2)
      return this.#define(
        name,
        `Array.isArray(value) ? ${other}(value, place, field) : ${one}(value, place, field)`,
      )
    const words = options.map((option) => simpleOf(option).word).join(' or ')
    return this.#define(
      name,
      `${names.map((each) => `${each}(value)`).join(' || ')} || differs(place, field, '${words}')`,
    )
  }

  #object(shape: Readonly<Record<string, z.core.$ZodType>>, hint: string): string {
    const tests = Object.entries(shape).map(
      ([field, schema]) =>
        `${this.nameOf(schema, `${hint}${capital(field)}`)}(value['${field}'], inside, '${field}')`,
    )
    return this.#define(
      hint,
      `{
        if (!isFields(value)) return differs(place, field, 'object')
        const inside = at(place, field)
        return ${tests.join(' && ')}
      }`,
    )
  }

  #define(name: string, test: string): string {
    const line = `const ${name}: Check = (value, place, field) => ${test}`
    if (!this.lines.includes(line)) this.lines.push(line)
    return name
  }
}

function simpleOf(schema: z.core.$ZodType): { name: string; test: string; word: string } {
  const simple = SIMPLE[kindOf(schema)]
  if (simple === undefined) throw new TypeError(`no check can be made of a ${schema._zod.def.type}`)
  return simple
}

function kindOf(schema: z.core.$ZodType): string {
  return schema instanceof z.ZodNumber && rulesOf(schema).length > 0 ? 'int' : schema._zod.def.type
}

/** A rule without a generated check would be ignored silently. */
function refuseOtherRules(schema: z.core.$ZodType): void {
  const { type } = schema._zod.def
  const other = rulesOf(schema).find((rule) => type !== 'number' || rule !== 'safeint')
  if (other !== undefined) throw new TypeError(`no check can be made of a ${type} with the rule ${other}`)
}

/** Names of a schema's rules in addition to its type. */
function rulesOf(schema: z.core.$ZodType): readonly string[] {
  const { def } = schema._zod
  const rules = (def.checks ?? []).map(({ _zod: { def: rule } }) => formatOf(rule) ?? rule.check)
  const format = formatOf(def)
  if (format !== undefined) rules.push(format)
  if ('coerce' in def && def.coerce === true) rules.push('coerce')
  if (schema instanceof z.ZodObject && schema.def.catchall !== undefined) rules.push('catchall')
  if (
    schema instanceof z.ZodRecord &&
    !(isPlain(schema.def.keyType, 'string') && isPlain(schema.def.valueType, 'unknown'))
  )
    rules.push('entries')
  return rules
}

function isPlain(schema: z.core.$ZodType, type: string): boolean {
  return schema._zod.def.type === type && rulesOf(schema).length === 0
}

function formatOf(def: object): string | undefined {
  return 'format' in def && typeof def.format === 'string' ? def.format : undefined
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const HEAD = `// Made from the schemas by 'npm run checks'; not to be edited.
import { at, type Check, differs, isFields, isListOf } from '../check.js'
import type { ResponseSchemaName } from '../schemas/index.js'

`

/** Returns the text of `src/contract/generated/checks.ts` before formatting. */
export function checksText(schemas: Readonly<Record<string, z.core.$ZodType>> = RESPONSE_SCHEMAS): string {
  const writer = new Writer()
  const table = Object.entries(schemas).map(
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
