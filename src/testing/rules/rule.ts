import type { Endpoint } from '../../contract/endpoint.js'
import type { ResponseSchemaName } from '../../contract/schemas/index.js'

/** One rule of the interface: what the service does, how to provoke it, and what must come. */
export interface ServiceRule {
  /** Section of the interface specification. */
  readonly section: string
  readonly text: string
  /** What the fake does, where it says more than the rule. */
  readonly fake?: string
  /** What the interface leaves open, with the option of the fake that decides it, or what the fake does not do. */
  readonly open?: string
  /** Tests of behaviour that needs more than one request, as paths below `test` without their ending. */
  readonly tests?: readonly string[]
  /** What holds for every record, beyond the types of its fields. */
  readonly records?: readonly RecordRule[]
  /** Requests that the service must refuse. */
  readonly refusals?: (samples: Samples) => readonly Refusal[]
}

/** What holds for every record of a kind. */
export interface RecordRule {
  readonly schema: ResponseSchemaName
  readonly path: string
  readonly expected: string
  readonly holds: (record: Readonly<Record<string, unknown>>) => boolean
}

/** A request that the service must refuse. None of these requests changes a record. */
export interface Refusal {
  readonly endpoint: Endpoint
  /** What is wrong, in a few words. */
  readonly situation: string
  /** In place of the path's parameter. Without it, the request names an existing record. */
  readonly id?: string
  readonly query?: string | Readonly<Record<string, string | number>>
  readonly body?: unknown
  /** A body that is sent as it is. */
  readonly raw?: string
  /** Version in the Accept header; `null` for a request without one. Default: the newest version. */
  readonly version?: string | null
  /** In place of the access token; `null` for a request without one. */
  readonly token?: string | null
  /** The code that must come, or any of several. Its status is in the table of error codes. */
  readonly code: string | readonly string[]
  /** Names that `errorList` must contain. */
  readonly names?: readonly string[]
  /** `false`: the interface does not document that the service refuses this; `status`: it documents no code. */
  readonly documented?: false | 'status'
}

/** Identifiers of the environment that the requests name. Absent ones leave their requests out. */
export interface Samples {
  /** Tests that can be ordered under Medicare, cheapest first. */
  readonly tests: readonly string[]
  readonly otherTests: readonly string[]
  readonly bundles: readonly string[]
  /** A provider with a signature, as an order names it. */
  readonly practitioner: Practitioner | undefined
  /** Number of a provider without a signature. */
  readonly unsigned: string | undefined
  readonly vendors: readonly string[]
  readonly centres: readonly string[]
  /** A URL that no webhook has. */
  readonly webhookUrl: string
}

/** A practitioner of an order. */
export interface Practitioner {
  readonly name: string
  readonly address: string
  readonly providerNumber: string
}

/** A UUID that no record has. */
export const UNKNOWN_UUID = '00000000-0000-4000-8000-000000000000'

type Fields = Readonly<Record<string, unknown>>

/** What is wrong, the changed fields of the body, the code, and the names in `errorList`. */
export type WrongBody = readonly [
  situation: string,
  changes: Fields,
  code: string | readonly string[],
  ...names: string[],
]

/** Bodies in each of which one field has one of the wrong values. `undefined` leaves the field out. */
export function wrongValues(
  code: string,
  fields: Readonly<Record<string, readonly unknown[]>>,
  change: (field: Fields) => Fields = (field) => field,
): WrongBody[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    values.map((value): WrongBody => {
      const words = value === undefined ? 'nothing' : JSON.stringify(value)
      return [`${words} as ${name}`, change({ [name]: value }), code, name]
    }),
  )
}

/** Requests of one endpoint with a body that differs from a good one. */
export function wrongBodies(
  endpoint: Endpoint,
  good: Fields,
  rows: readonly WrongBody[],
  more: Partial<Refusal> = {},
): Refusal[] {
  return rows.map(([situation, changes, code, ...names]) => ({
    endpoint,
    situation,
    body: { ...good, ...changes },
    code,
    names,
    ...more,
  }))
}

/** What is wrong, the parameters, and the names in `errorList`. */
export type WrongQuery = readonly [
  situation: string,
  query: NonNullable<Refusal['query']>,
  ...names: string[],
]

/** Requests of one endpoint with a query that gives INVALID_PARAMETER. */
export function wrongQueries(
  endpoint: Endpoint,
  rows: readonly WrongQuery[],
  more: Partial<Refusal> = {},
): Refusal[] {
  return rows.map(([situation, query, ...names]) => ({
    endpoint,
    situation,
    query,
    code: 'INVALID_PARAMETER',
    names,
    ...more,
  }))
}
