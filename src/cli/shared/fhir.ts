import type { BundleWithGaps } from '../../fhir/index.js'
import type { OptionRow } from './command.js'
import { type EnvironmentOptions, variableReader } from './environment.js'
import { type Terminal, UsageError } from './terminal.js'

const BASE_VARIABLE = 'PATHOLOGY_FHIR_BASE'

/** Options of the commands that write FHIR. */
export interface FhirOptions extends EnvironmentOptions {
  readonly fhir?: boolean
  readonly base?: string
}

export function fhirOptions(description: string): readonly OptionRow[] {
  return [
    ['--fhir', description],
    ['--base <url>', `root of the identifier systems of --fhir; default: ${BASE_VARIABLE}`],
  ]
}

/** Returns the root of the identifier systems. */
export function fhirBase(terminal: Terminal, options: FhirOptions): string {
  const base = options.base ?? variableReader(terminal, options)(BASE_VARIABLE)
  if (base !== undefined) return base
  throw new UsageError(
    `--fhir requires --base or ${BASE_VARIABLE}, the root of your identifier systems, such as https://clinic.example/pathology`,
  )
}

/** Returns the resources of a bundle as NDJSON: one line each, with references such as `Patient/42`. */
export function ndjsonOf({ bundle }: BundleWithGaps): string {
  const types = new Map(bundle.entry.map(({ fullUrl, resource }) => [fullUrl, resource.resourceType]))
  const lines = bundle.entry.map(({ resource }) =>
    JSON.stringify(resource, (name, value: unknown) => {
      const type = name === 'reference' && typeof value === 'string' ? types.get(value) : undefined
      return type === undefined ? value : String(value).replace('urn:uuid:', `${type}/`)
    }),
  )
  return lines.map((line) => `${line}\n`).join('')
}
