import ts from 'typescript'

import type { ContractField, readContractTypes } from './contract-types.js'
import { type JsonObject, mapValues, present } from './json.js'

/**
 * Returns a function that creates the JSON Schema of a type without a zod schema. Events have no zod schema, because
 * they are checked without zod. Supports only lists, objects, strings with or without known values, integers,
 * and values that may be null. Throws for any other type.
 */
export function createTypeSchemas({ types, checker }: ReturnType<typeof readContractTypes>) {
  function objectSchema(all: readonly ContractField[]): JsonObject {
    // A field of type `undefined` is not part of the type.
    const fields = all.filter(({ type }) => !is(type, 'Undefined'))
    const properties = Object.fromEntries(fields.map((field) => [field.name, field]))
    const required = fields.filter(({ optional }) => !optional).map(({ name }) => name)
    return present({
      type: 'object',
      properties: fields.length > 0 ? mapValues(properties, fieldSchema) : undefined,
      required: required.length > 0 ? required : undefined,
    })
  }

  function fieldSchema({ type, doc, fields }: ContractField): JsonObject {
    const members = (type.isUnion() ? type.types : [type]).filter((member) => !is(member, 'Undefined'))
    const values = members.filter((member) => !is(member, 'Null'))
    const schema = valueSchema(values, fields)
    const nullable = values.length < members.length ? { type: [schema['type'] ?? 'object', 'null'] } : {}
    return present({ description: doc || undefined, ...schema, ...nullable })
  }

  function valueSchema(values: readonly ts.Type[], fields: ContractField['fields']): JsonObject {
    const known = values.flatMap((value) => (value.isStringLiteral() ? [value.value] : []))
    if (known.length > 0) return { type: 'string', 'x-known-values': known }
    const [value] = values
    if (value !== undefined && values.length === 1) return schemaOf(value, fields)
    throw new Error(
      `a schema cannot be created for ${values.map((type) => checker.typeToString(type)).join(' | ')}`,
    )
  }

  function schemaOf(type: ts.Type, fields: ContractField['fields']): JsonObject {
    if (is(type, 'String')) return { type: 'string' }
    if (is(type, 'Number')) return { type: 'integer' }
    const element = checker.isArrayType(type) && checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    if (element) return { type: 'array', items: schemaOf(element, fields) }
    if (is(type, 'Object')) return objectSchema(fields())
    throw new Error(`a schema cannot be created for ${checker.typeToString(type)}`)
  }

  return (name: string): JsonObject => {
    const fields = types.fieldsOf(name)
    if (fields === undefined) throw new Error(`the contract has no type ${name}`)
    return { description: types.docOf(name), ...objectSchema(fields) }
  }
}

function is({ flags }: ts.Type, flag: 'Null' | 'Number' | 'Object' | 'String' | 'Undefined'): boolean {
  return (flags & ts.TypeFlags[flag]) !== 0
}
