import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { checksText } from '../../scripts/checks/generate.js'
import { responseIssues } from '../../src/contract/check-response.js'
import { CHECKS } from '../../src/contract/checks.js'
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

/** Values that a schema lets through. */
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

/** The value with something else at one of its places, or without it. */
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

/** Where there is more than one shape, what is wrong by the one that was meant. */
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
  return steps.join('').replace(/^\./, '') || '(whole answer)'
}

describe('checks of answers, made from the schemas (§2)', () => {
  it('are those of the schemas as they are now', () => {
    const path = fileURLToPath(new URL('../../src/contract/checks.ts', import.meta.url))
    const format = ['biome', 'check', '--write', `--stdin-file-path=${path}`]
    const { stdout } = spawnSync('npx', format, { input: checksText(), encoding: 'utf8' })
    expect(stdout).toBe(readFileSync(path, 'utf8'))
  })

  it.each(Object.entries(RESPONSE_SCHEMAS))('%s: say what the schema says', (name, schema) => {
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
        expect(responseIssues(name as keyof typeof CHECKS, value).map(({ path }) => path)).toEqual(places)
      }),
      { numRuns: 600 },
    )
  })

  it('let through what the service may add, and name the place of what differs', () => {
    const webhook = { object: 'webhook', id: 'w', deleted: true }
    expect(responseIssues('DeletedWebhook', { ...webhook, object: 'hook', more: { than: 'known' } })).toEqual(
      [],
    )
    expect(responseIssues('DeletedWebhook', { ...webhook, deleted: 'yes' })).toEqual([
      { path: 'deleted', expected: 'boolean' },
    ])
  })
})
