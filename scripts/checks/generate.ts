import * as z from 'zod'
import * as catalogue from '../../src/contract/schemas/catalogue.js'
import * as centre from '../../src/contract/schemas/centre.js'
import { RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'
import * as provider from '../../src/contract/schemas/provider.js'
import * as referral from '../../src/contract/schemas/referral.js'
import * as result from '../../src/contract/schemas/result.js'
import * as shared from '../../src/contract/schemas/shared.js'
import * as webhook from '../../src/contract/schemas/webhook.js'

/** Types of simple schemas, as constants of `src/contract/check.ts`. */
const SIMPLE: Readonly<Record<string, string>> = {
  string: 'STRING',
  number: 'NUMBER',
  int: 'INTEGER',
  boolean: 'BOOLEAN',
  unknown: 'ANYTHING',
  record: 'OBJECT',
}

/** Names of the exported schemas, such as `person` for `personSchema`. */
const EXPORTED: ReadonlyMap<unknown, string> = new Map(
  [catalogue, centre, provider, referral, result, shared, webhook].flatMap((module) =>
    Object.entries(module).flatMap(([name, schema]) =>
      name.endsWith('Schema') ? [[schema, name.slice(0, -'Schema'.length)] as const] : [],
    ),
  ),
)

/** Check of a value: its function, its permitted types, and the check of its entries if it is a list. */
interface Check {
  readonly name: string
  readonly types: readonly string[]
  readonly entry?: Check
}

/** Writer of checks. It writes the check of each object once, before the checks that call it. */
class Writer {
  /** Combined types, such as `STRING | NULL`, by the names of their constants. */
  readonly types = new Map<string, string>()
  readonly objects: string[] = []
  readonly #names = new Map<unknown, string>()

  /** Returns the text of the check of a response. */
  response(schema: z.core.$ZodType, hint: string): string {
    const given = 'value, place, field'
    if (!(schema instanceof z.ZodUnion)) {
      const check = this.#check(schema, hint)
      return this.#names.has(schema) ? check.name : `(${given}) => ${this.#call(check, given)}`
    }
    rejectOtherRules(schema)
    const checks = schema.def.options.map((option) => this.#check(option, hint))
    const list = checks.find(({ entry }) => entry !== undefined)
    const other = checks.find(({ entry }) => entry === undefined)
    if (list === undefined || other === undefined)
      return `(${given}) => ${this.#call(this.#union(schema), given)}`
    return `(${given}) => Array.isArray(value) ? ${this.#call(list, given)} : ${this.#call(other, given)}`
  }

  #check(schema: z.core.$ZodType, hint: string): Check {
    rejectOtherRules(schema)
    if (schema instanceof z.ZodOptional) return this.#or('ABSENT', schema.def.innerType, hint)
    if (schema instanceof z.ZodNullable) return this.#or('NULL', schema.def.innerType, hint)
    if (schema instanceof z.ZodArray) {
      return { name: 'isList', types: ['ARRAY'], entry: this.#check(schema.def.element, `${hint}Entry`) }
    }
    if (schema instanceof z.ZodUnion) return this.#union(schema)
    if (schema instanceof z.ZodObject) return { name: this.#object(schema, hint), types: ['OBJECT'] }
    return { name: 'hasType', types: [simpleOf(schema)] }
  }

  #or(type: string, inner: z.core.$ZodType, hint: string): Check {
    const check = this.#check(inner, hint)
    return { ...check, types: [...check.types, type] }
  }

  #union({ def }: z.ZodUnion): Check {
    for (const option of def.options) rejectOtherRules(option)
    return { name: 'hasType', types: def.options.map(simpleOf) }
  }

  #object(schema: z.ZodObject, hint: string): string {
    const known = this.#names.get(schema)
    if (known !== undefined) return known
    const name = EXPORTED.get(schema) ?? hint
    this.#names.set(schema, name)
    const tests = Object.entries<z.core.$ZodType>(schema.def.shape).map(([field, inner]) =>
      this.#call(this.#check(inner, `${hint}${capital(field)}`), `value['${field}'], inside, '${field}'`),
    )
    this.objects.push(`const ${name}: Check = (value, place, field, types = OBJECT) => {
      if (!isFields(value)) return hasType(value, place, field, types)
      const inside = place && fieldPlace(place, field)
      return ${tests.join(' && ')}
    }`)
    return name
  }

  #call({ name, types, entry }: Check, given: string): string {
    const isDefault = types.join() === (DEFAULTS.get(name) ?? 'OBJECT')
    const all = isDefault ? given : `${given}, ${this.#typesName(types)}`
    if (entry === undefined) return `${name === 'hasType' && isDefault ? 'isString' : name}(${all})`
    if (entry.entry !== undefined) throw new TypeError('a check for a list of lists cannot be generated')
    const check = entry.types.join() === 'STRING' ? 'isString' : entry.name
    return `isList(${check}, ${this.#typesName(entry.types)}, ${all})`
  }

  #typesName(types: readonly string[]): string {
    const name = types.join('_OR_')
    if (types.length > 1) this.types.set(name, types.join(' | '))
    return name
  }
}

/**
 * Default types, by the name of the check. The generated call omits them. The check of an object has the default
 * OBJECT.
 */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['hasType', 'STRING'],
  ['isList', 'ARRAY'],
])

function simpleOf(schema: z.core.$ZodType): string {
  const simple = SIMPLE[kindOf(schema)]
  if (simple === undefined) throw new TypeError(`a check for a ${schema._zod.def.type} cannot be generated`)
  return simple
}

function kindOf(schema: z.core.$ZodType): string {
  return schema instanceof z.ZodNumber && rulesOf(schema).length > 0 ? 'int' : schema._zod.def.type
}

/** Throws for a rule that the generator does not know. Otherwise the generated check would ignore the rule. */
function rejectOtherRules(schema: z.core.$ZodType): void {
  const { type } = schema._zod.def
  const other = rulesOf(schema).find((rule) => type !== 'number' || rule !== 'safeint')
  if (other !== undefined)
    throw new TypeError(`a check for a ${type} with the rule ${other} cannot be generated`)
}

/** Returns the names of a schema's rules in addition to its type. */
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

const TYPES = ['ABSENT', 'ANYTHING', 'ARRAY', 'BOOLEAN', 'INTEGER', 'NULL', 'NUMBER', 'OBJECT', 'STRING']
const FUNCTIONS = ['type Check', 'fieldPlace', 'hasType', 'isFields', 'isList', 'isString']

/** Returns the text of `src/contract/generated/checks.ts` before formatting. */
export function checksText(schemas: Readonly<Record<string, z.core.$ZodType>> = RESPONSE_SCHEMAS): string {
  const writer = new Writer()
  const table = Object.entries(schemas).map(
    ([name, schema]) =>
      `  ${name}: ${writer.response(schema, name.charAt(0).toLowerCase() + name.slice(1))},`,
  )
  return [
    "// Generated from the schemas by 'npm run checks'; do not edit.",
    `import { ${[...TYPES, ...FUNCTIONS].join(', ')} } from '../check.js'`,
    "import type { ResponseSchemaName } from '../schemas/index.js'",
    '',
    ...[...writer.types].map(([name, types]) => `const ${name} = ${types}`),
    '',
    ...writer.objects,
    '',
    '/** Checks of all responses. They do not load the schema library, and allocate no memory for a response that matches. */',
    'export const CHECKS: Readonly<Record<ResponseSchemaName, Check>> = {',
    ...table,
    '}',
    '',
  ].join('\n')
}
