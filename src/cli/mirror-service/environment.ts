import { resolve } from 'node:path'
import type { Logger } from '../../common/logger.js'
import { checkedName } from '../../database/names.js'
import type { Mirror, MirrorOptions } from '../../mirror/index.js'
import { type EnvironmentOptions, VARIABLES, variableNames, variableReader } from '../shared/environment.js'
import { type Terminal, UsageError } from '../shared/terminal.js'
import {
  type ConnectedOrganisation,
  connect,
  ORGANISATIONS_VARIABLE,
  readOrganisations,
  variableOf,
} from './organisations.js'

/** Variables of the mirror. The client has its own variables. */
export const MIRROR_VARIABLES = {
  database: 'PATHOLOGY_MIRROR_DATABASE',
  schema: 'PATHOLOGY_MIRROR_SCHEMA',
  documents: 'PATHOLOGY_MIRROR_DOCUMENTS',
  concurrency: 'PATHOLOGY_MIRROR_CONCURRENCY',
  lease: 'PATHOLOGY_MIRROR_LEASE_MS',
  history: 'PATHOLOGY_MIRROR_HISTORY_DAYS',
  eventDays: 'PATHOLOGY_MIRROR_EVENT_DAYS',
  migrations: 'PATHOLOGY_MIRROR_MIGRATIONS',
  rowSecurity: 'PATHOLOGY_MIRROR_ROW_SECURITY',
  host: 'PATHOLOGY_MIRROR_HOST',
  port: 'PATHOLOGY_MIRROR_PORT',
} as const

const PREFIX = 'PATHOLOGY_MIRROR_'

/** Location of the mirror's copy. `database` is a URL or a directory; `schema` is the schema of its tables. */
export interface CopyLocation {
  readonly database: string
  readonly schema: string
  readonly rowSecurity: boolean
}

/** Function that returns the value of a variable; `undefined` if the variable is missing or empty. */
type Read = (name: string) => string | undefined

/** Returns the location of the copy. The default is an embedded database in the directory `pathology-mirror`. */
export function copyLocation(terminal: Terminal, options: EnvironmentOptions): CopyLocation {
  const read = variableReader(terminal, options)
  refuseUnknownVariables(terminal, options)
  return {
    database: databaseOf(terminal, read(MIRROR_VARIABLES.database) ?? 'pathology-mirror'),
    schema: checkedName(MIRROR_VARIABLES.schema, read(MIRROR_VARIABLES.schema) ?? 'pathology'),
    rowSecurity: choice(read, MIRROR_VARIABLES.rowSecurity, ['true', 'false']) === 'true',
  }
}

/** Throws for an unknown variable of the mirror, because a misspelt variable would have no effect. */
function refuseUnknownVariables(terminal: Terminal, options: EnvironmentOptions): void {
  const known = new Set<string>(Object.values(MIRROR_VARIABLES))
  const organisations = variableReader(terminal, options)(ORGANISATIONS_VARIABLE) ?? ''
  // The variables of an organisation with a name such as "mirror" or "mirror_north" have the same prefix.
  for (const organisation of organisations.split(','))
    for (const variable of Object.values(VARIABLES)) known.add(variableOf(organisation.trim(), variable))
  for (const name of variableNames(terminal, options)) {
    if (!name.startsWith(PREFIX) || known.has(name)) continue
    const meant = [...known].find((other) => other.startsWith(name) || name.startsWith(other))
    throw new UsageError(
      `${name} is not a variable of the mirror${meant === undefined ? ': npx pathology mirror serve --help lists them' : `; did you mean ${meant}?`}`,
    )
  }
}

function databaseOf({ cwd }: Terminal, text: string): string {
  if (/^postgres(ql)?:\/\//i.test(text)) return text
  // Any other URL is not used as the name of a directory, because the name would contain the password.
  if (!/:\/\/|^\W*postgres(ql)?(:|\/\/)/i.test(text)) return resolve(cwd, text)
  throw new UsageError(`${MIRROR_VARIABLES.database} must be a postgres:// URL or a directory`)
}

export function listenAddress(
  terminal: Terminal,
  options: EnvironmentOptions,
): { host: string; port: number } {
  const read = variableReader(terminal, options)
  return {
    host: read(MIRROR_VARIABLES.host) ?? '127.0.0.1',
    port: integer(read, MIRROR_VARIABLES.port, 65_535) ?? 8080,
  }
}

/** Runs a function with the mirror that the variables describe, and stops the mirror afterwards. */
export async function withMirror<T>(
  terminal: Terminal,
  options: EnvironmentOptions,
  use: (mirror: Mirror) => Promise<T>,
): Promise<T> {
  const settings = mirrorOptions(terminal, options)
  const organisations = await connect(readOrganisations(terminal, options), loggerOf(terminal))
  try {
    const { createMirror } = await import('../../mirror/index.js')
    await using mirror = createMirror({ ...settings, ...organisationOptions(organisations) })
    return await use(mirror)
  } finally {
    await Promise.all(organisations.map(({ client }) => client.close()))
  }
}

function organisationOptions(organisations: readonly ConnectedOrganisation[]): MirrorOptions {
  const entries = organisations.map(({ name, client, environment }) => ({
    name,
    own: { client, secret: environment.webhookSecret },
  }))
  const [only] = entries
  if (only !== undefined && only.name === undefined) return only.own
  return { organisations: Object.fromEntries(entries.map(({ name = '', own }) => [name, own])) }
}

/**
 * Returns the names of the organisations by the paths of their webhooks. Without `PATHOLOGY_ORGANISATIONS`, the only
 * name is `undefined`.
 *
 * @throws {@link UsageError} if an organisation has no signing secret.
 */
export function webhookPaths(
  terminal: Terminal,
  options: EnvironmentOptions,
): ReadonlyMap<string, string | undefined> {
  const organisations = readOrganisations(terminal, options)
  const missing = organisations.filter(({ environment }) => environment.webhookSecret === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ secretVariable }) => secretVariable).join(', ')
    throw new UsageError(`not set: ${names}. Webhooks cannot be verified without the secret`)
  }
  return new Map(
    organisations.map(({ name }) => [name === undefined ? '/webhooks' : `/webhooks/${name}`, name]),
  )
}

function mirrorOptions(terminal: Terminal, options: EnvironmentOptions): MirrorOptions {
  const read = variableReader(terminal, options)
  const names = MIRROR_VARIABLES
  return {
    ...copyLocation(terminal, options),
    documents: choice(read, names.documents, ['database', 'none'] as const),
    concurrency: integer(read, names.concurrency, 64),
    lease: integer(read, names.lease),
    history: integer(read, names.history),
    eventDays: integer(read, names.eventDays),
    migrations: choice(read, names.migrations, ['auto', 'manual']),
    logger: loggerOf(terminal),
  }
}

function loggerOf(terminal: Terminal): Logger {
  const write = (text: string): void => terminal.stderr.write(`${text}\n`)
  return { warn: write, error: write }
}

function integer(read: Read, name: string, max = Number.MAX_SAFE_INTEGER): number | undefined {
  const text = read(name)
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  throw new UsageError(
    `${name} must be an integer ${max === Number.MAX_SAFE_INTEGER ? 'of at least 0' : `from 0 to ${max}`}`,
  )
}

function choice<const Value extends string>(
  read: Read,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = read(name)
  if (text === undefined) return undefined
  const found = values.find((value) => value === text)
  if (found !== undefined) return found
  throw new UsageError(`${name} must be ${values.join(' or ')}`)
}
