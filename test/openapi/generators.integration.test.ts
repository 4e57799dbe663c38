import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

import type { Endpoint } from '../../src/contract/endpoint.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { typeErrors } from '../support/type-errors.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCUMENT = `${ROOT}openapi.json`

/** A generator of TypeScript, and the names of the bodies in its output. */
interface Generator {
  /** Directory with the generator's packages. */
  readonly packages: string
  /** The generator's program and arguments, relative to its output directory. */
  readonly command: readonly [program: string, ...parameters: string[]]
  /** Reads the types of the bodies from the output: `Order`, `Bodies` and `Referral`. */
  readonly types: string
}

const TOOLS = `${ROOT}test/tools`

/** Operations with a body, by resource and method. */
const WITH_BODY = ENDPOINTS.filter(({ body }) => body !== undefined)
/** Names of the operations as most generators write them: `referralsCreate`. */
const camelCase = (id: string): string => id.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
const union = (write: (endpoint: Endpoint) => string): string => WITH_BODY.map(write).join(' | ')

/** The types of clients with a function for each operation: path parameters come before the body. */
const functionTypes = (calls: string): string => `import * as api from './api.js'
  type Calls = ${calls}
  export type Order = Parameters<Calls['referralsCreate']>[0]
  export type Bodies = ${union(({ id, path }) => `Parameters<Calls['${camelCase(id)}']>[${path.includes('{') ? 1 : 0}]`)}
  export type Referral = api.Referral`

const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    packages: TOOLS,
    command: ['openapi-typescript/bin/cli.js', DOCUMENT, '-o', 'api.ts'],
    types: `import type { components, operations } from './api.js'
      type Body<Id extends keyof operations> = operations[Id] extends { requestBody: { content: { 'application/json': infer B } } } ? B : unknown
      export type Order = Body<'referrals.create'>
      export type Bodies = ${union(({ id }) => `Body<'${id}'>`)}
      export type Referral = components['schemas']['Referral']`,
  },
  orval: {
    packages: TOOLS,
    command: ['orval/dist/bin/orval.js', '--input', DOCUMENT, '--output', 'api.ts', '--client', 'fetch'],
    types: functionTypes('typeof api'),
  },
  oazapfts: {
    packages: TOOLS,
    command: ['oazapfts/dist/cli.js', DOCUMENT, 'api.ts'],
    types: functionTypes('typeof api'),
  },
  'hey-api': {
    packages: TOOLS,
    command: ['@hey-api/openapi-ts/bin/run.js', '-i', DOCUMENT, '-o', '.'],
    types: `import type * as api from './types.gen.js'
      export type Order = api.ReferralsCreateData['body']
      export type Bodies = ${union(({ id }) => `api.${capital(camelCase(id))}Data['body']`)}
      export type Referral = api.Referral`,
  },
  'swagger-typescript-api': {
    packages: TOOLS,
    command: [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      '--path',
      DOCUMENT,
      '--output',
      '.',
      '--name',
      'api.ts',
    ],
    types: functionTypes("api.Api<unknown>['v1']"),
  },
  'openapi-zod-client': {
    packages: `${TOOLS}/zod-3`,
    command: ['openapi-zod-client/bin.js', DOCUMENT, '-o', 'api.ts', '--export-schemas'],
    types: `import type { ZodiosBodyByAlias } from '@zodios/core'
      import type { api, schemas } from './api.js'
      import type { z } from 'zod'
      type Body<Alias extends string> = ZodiosBodyByAlias<(typeof api)['api'], Alias>
      export type Order = Body<'referrals.create'>
      export type Bodies = ${union(({ id }) => `Body<'${id}'>`)}
      export type Referral = z.infer<(typeof schemas)['Referral']>`,
  },
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** A valid order and invalid ones. An invalid one that compiles is an error. */
const ORDERS = `import type { Bodies, Order, Referral } from './types.js'

type IsOpen<T> = unknown extends T ? true : false
export const bodiesAreTyped: IsOpen<Bodies> = false
export const referralIsTyped: IsOpen<Referral> = false

export const right: Order = {
  firstName: 'Ada', lastName: 'Byron', email: 'ada@patients.example', phone: '0491570156',
  address: { addressLine1: '1 Example Street', city: 'Sydney', state: 'NSW', postCode: '2000', country: 'Australia' },
  dob: '1980-01-31', gender: 'female', referenceNumber: 'ORDER-1', tests: ['lipid-panel'],
  metadata: { clinic: 'north' }, emailReferralToCustomer: false,
}
// @ts-expect-error: not one of the values
export const unknownValue: Order = { ...right, gender: 'unknown' }
// @ts-expect-error: a text instead of a list
export const textForList: Order = { ...right, tests: 'lipid-panel' }
// @ts-expect-error: a number instead of a text
export const numberForText: Order = { ...right, phone: 491570156 }
// @ts-expect-error: a field that does not exist
export const misspelt: Order = { ...right, bundleID: 'iron-check' }
// @ts-expect-error: a required field of the address is missing
export const incomplete: Order = { ...right, address: { addressLine1: '1 Example Street', city: 'Sydney', state: 'NSW' } }
const { email, ...withoutEmail } = right
// @ts-expect-error: a required field is missing
export const missing: Order = withoutEmail

export const status = (referral: Referral): string => referral.status
export const attachment = (referral: Referral): string | null => referral.referralAttachment
// @ts-expect-error: a status is a text
export const statusAsNumber = (referral: Referral): number => referral.status
`

const folderOf = (name: string): string => `${GENERATORS[name]?.packages ?? ''}/.generated/${name}`
const run = promisify(execFile)

async function generate(name: string, { packages, command, types }: Generator): Promise<void> {
  const folder = folderOf(name)
  mkdirSync(folder, { recursive: true })
  const [program, ...parameters] = command
  await run(process.execPath, [`${packages}/node_modules/${program}`, ...parameters], { cwd: folder })
  writeFileSync(`${folder}/types.ts`, types)
  writeFileSync(`${folder}/orders.ts`, ORDERS)
}

const SETTINGS = [
  ...['--ignoreConfig', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'],
  ...['--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable', '--types', ''],
]

/** Compiles all outputs in one strict program. Returns the errors of each generator. */
async function compile(names: readonly string[]): Promise<Map<string, string[]>> {
  const errors = await typeErrors(ROOT, ...SETTINGS, ...names.map((name) => `${folderOf(name)}/orders.ts`))
  const nameIn = (error: string): string =>
    names.find((name) => error.includes(`/${name}/`)) ?? names[0] ?? ''
  return new Map(names.map((name) => [name, errors.filter((error) => nameIn(error) === name)]))
}

const names = Object.keys(GENERATORS)
let problems: Map<string, string[]>
const clean = (): void => {
  for (const name of names) rmSync(folderOf(name), { recursive: true, force: true })
}

beforeAll(async () => {
  clean()
  await Promise.all(Object.entries(GENERATORS).map(([name, generator]) => generate(name, generator)))
  problems = await compile(names)
}, 120_000)
afterAll(clean)

it.each(names)(
  'the generator %s writes types of the bodies: a valid order compiles, invalid ones do not',
  (name) => {
    expect(problems.get(name)).toEqual([])
  },
)

it('the schemas of openapi-zod-client check integers, ids and times', () => {
  const text = readFileSync(`${folderOf('openapi-zod-client')}/api.ts`, 'utf8')
  expect(text).toMatch(/resultCount: z\.number\(\)\.int\(\)/)
  expect(text).toMatch(/uuid: z\.string\(\)\.uuid\(\)/)
  expect(text).toMatch(/createdAt: z\.string\(\)\.datetime/)
})
