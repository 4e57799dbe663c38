import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { checksText } from '../../scripts/checks/generate.js'
import { issuesOf } from '../../src/contract/check.js'
import { CHECKS } from '../../src/contract/generated/checks.js'
import { RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'

const odd = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    '',
    'text',
    0,
    -1,
    1.5,
    Number.POSITIVE_INFINITY,
    true,
    false,
    '__proto__',
  ),
  fc.constantFrom([], {}, [null], [''], [{}], { uuid: 'u' }, 2 ** 60),
  fc.jsonValue(),
)

/** Values that a schema accepts. */
function fitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional)
    return fc.option(fitting(schema.def.innerType), { nil: undefined, freq: 3 })
  if (schema instanceof z.ZodNullable) return fc.option(fitting(schema.def.innerType), { freq: 3 })
  if (schema instanceof z.ZodArray) return fc.array(fitting(schema.def.element), { maxLength: 2 })
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.def.options.map(fitting))
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 })
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.def.shape)
    return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, fitting(field)])))
  }
  const simple = { string: fc.string(), boolean: fc.boolean(), number: fc.integer(), unknown: fc.jsonValue() }
  const { type } = schema._zod.def
  if (!Object.hasOwn(simple, type)) throw new TypeError(`no values are known for ${type}`)
  return simple[type as keyof typeof simple]
}

/** The value with one of its parts replaced or removed. */
function changed(value: unknown, steps: readonly number[], other: unknown): unknown {
  const [step, ...rest] = steps
  if (typeof value !== 'object' || value === null || step === undefined) return other
  const names = Object.keys(value)
  const name = names[step % Math.max(names.length, 1)]
  if (name === undefined) return other
  const inner = changed(Reflect.get(value, name), rest, other)
  if (Array.isArray(value)) {
    const index = Number(name)
    return inner === undefined ? value.toSpliced(index, 1) : value.with(index, inner)
  }
  const others = Object.entries(value).filter(([key]) => key !== name)
  return Object.fromEntries(inner === undefined ? others : [...others, [name, inner]])
}

/** For a union, the issues of the intended member. */
function inside(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const [one = [], other = []] = issue.errors
  const isList = one.some(({ path }) => path.length > 0) || !other.some(({ path }) => path.length > 0)
  const meant = (isList ? one : other).flatMap(inside)
  if (meant.some(({ path }) => path.length === 0)) return [{ ...issue, errors: [] }]
  return meant.map((each) => ({ ...each, path: [...issue.path, ...each.path] }))
}

function placeOf(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`))
  return steps.join('').replace(/^\./, '') || '(whole response)'
}

it('the generated checks of responses are up to date with the schemas (§2)', () => {
  const path = fileURLToPath(new URL('../../src/contract/generated/checks.ts', import.meta.url))
  const format = ['biome', 'check', '--write', `--stdin-file-path=${path}`]
  const { stdout } = spawnSync('npx', format, { input: checksText(), encoding: 'utf8' })
  expect(stdout).toBe(readFileSync(path, 'utf8'))
})

it.each(Object.entries(RESPONSE_SCHEMAS))(
  'the generated check of %s accepts and rejects the same values as its schema (§2)',
  (name, schema) => {
    const check = CHECKS[name as keyof typeof CHECKS]
    const values = fc.oneof(
      fitting(schema),
      fc.tuple(fitting(schema), fc.array(fc.nat(), { maxLength: 5 }), odd).map((parts) => changed(...parts)),
      odd,
    )
    fc.assert(
      fc.property(values, (value) => {
        const { success, error } = schema.safeParse(value)
        expect(check(value)).toBe(success)
        const places = (error?.issues ?? []).flatMap(inside).map(({ path }) => placeOf(path))
        expect(issuesOf(check, value).map(({ path }) => path)).toEqual(places)
      }),
      { numRuns: 300 },
    )
  },
)

it('a field of any type can hold a number beyond the range of numbers', () => {
  const price = {
    ...{ testsTotal: 0, tests: [], fees: [], tax: [], subTotal: 0, totalWithoutMarkup: 0, grandTotal: 0 },
    ...{ grandTotalIncTax: 0, grandTotalIncTaxWithoutBulkDiscounts: 0, grandTotalWithoutBulkDiscounts: 0 },
    discounts: JSON.parse('[1e999]'),
  }
  expect(CHECKS.Price(price)).toBe(true)
  expect(CHECKS.Price({ ...price, testsTotal: Number.POSITIVE_INFINITY })).toBe(false)
})

it.each<[string, z.core.$ZodType]>([
  ['number with the rule greater_than', z.int().min(0)],
  ['number with the rule int32', z.int32()],
  ['number with the rule greater_than', z.number().positive()],
  ['number with the rule coerce', z.coerce.number()],
  ['string with the rule uuid', z.uuid()],
  ['string with the rule uuid', z.string().uuid()],
  ['string with the rule min_length', z.string().min(1)],
  ['string with the rule regex', z.string().regex(/a/)],
  ['boolean with the rule custom', z.boolean().refine((value) => value)],
  ['array with the rule min_length', z.array(z.string()).min(1)],
  ['object with the rule catchall', z.strictObject({ a: z.string() })],
  ['object with the rule custom', z.object({ a: z.string() }).refine(() => true)],
  ['record with the rule entries', z.record(z.string(), z.string())],
  ['nullable with the rule custom', z.nullable(z.string()).refine(() => true)],
  ['enum', z.enum(['a'])],
])('a check cannot be generated from a %s, and the generator says so', (told, schema) => {
  for (const each of [
    schema,
    z.object({ a: schema }),
    z.array(z.optional(schema)),
    z.union([z.boolean(), schema]),
  ])
    expect(() => checksText({ Anything: each })).toThrow(`a check for a ${told}`)
})

it('both forms of an integer in a schema give the same check', () => {
  const whole = 'INTEGER)'
  expect(checksText({ Count: z.int() })).toContain(whole)
  expect(checksText({ Count: z.number().int() })).toContain(whole)
  expect(checksText({ Count: z.number() })).not.toContain(whole)
})

it('a generated check accepts fields that the service may add, and names the place of each difference (§2)', () => {
  const webhook = { object: 'webhook', id: 'w', deleted: true }
  expect(issuesOf(CHECKS.DeletedWebhook, { ...webhook, object: 'hook', more: { than: 'known' } })).toEqual([])
  expect(issuesOf(CHECKS.DeletedWebhook, { ...webhook, deleted: 'yes' })).toEqual([
    { path: 'deleted', expected: 'boolean' },
  ])
})
