import type { PathologyClient } from '../../client/index.js'
import type { Logger } from '../../common/logger.js'
import {
  clientOptions,
  type Environment,
  type EnvironmentOptions,
  readEnvironment,
  VARIABLES,
  variableReader,
} from '../shared/environment.js'
import { type Terminal, UsageError } from '../shared/terminal.js'

/** Name of the variable that contains the names of several organisations. */
export const ORGANISATIONS_VARIABLE = 'PATHOLOGY_ORGANISATIONS'

/** An organisation that the variables describe. */
export interface OrganisationSettings {
  /** Name of the organisation; `undefined` without `PATHOLOGY_ORGANISATIONS`. */
  readonly name: string | undefined
  readonly environment: Environment
  /** Name of the variable with the organisation's signing secret. */
  readonly secretVariable: string
}

export interface ConnectedOrganisation extends OrganisationSettings {
  readonly client: PathologyClient
}

/**
 * Reads the organisations of `PATHOLOGY_ORGANISATIONS`. Their variables contain the name, such as
 * `PATHOLOGY_NORTH_CLIENT_ID`. An organisation without its own URLs uses `PATHOLOGY_BASE_URL` and `PATHOLOGY_AUTH_URL`.
 * Without `PATHOLOGY_ORGANISATIONS`, there is one organisation without a name.
 */
export function readOrganisations(
  terminal: Terminal,
  options: EnvironmentOptions,
): readonly OrganisationSettings[] {
  const common = readEnvironment(terminal, options)
  const read = variableReader(terminal, options)
  const names = read(ORGANISATIONS_VARIABLE)
  if (names === undefined) {
    return [{ name: undefined, environment: common, secretVariable: VARIABLES.webhookSecret }]
  }
  return namesOf(names).map((name) => {
    const own = (variable: string): string | undefined => read(variableOf(name, variable))
    const environment = {
      ...common,
      baseUrl: own(VARIABLES.baseUrl) ?? common.baseUrl,
      authUrl: own(VARIABLES.authUrl) ?? common.authUrl,
      clientId: own(VARIABLES.clientId),
      clientSecret: own(VARIABLES.clientSecret),
      webhookSecret: own(VARIABLES.webhookSecret),
    }
    return { name, environment, secretVariable: variableOf(name, VARIABLES.webhookSecret) }
  })
}

/** Creates the clients of the organisations. */
export async function connect(
  organisations: readonly OrganisationSettings[],
  logger: Logger,
): Promise<readonly ConnectedOrganisation[]> {
  const settings = organisations.map(({ name, environment }) =>
    clientOptions(environment, (variable) => (name === undefined ? variable : variableOf(name, variable))),
  )
  const { PathologyClient } = await import('../../client/index.js')
  return organisations.map((organisation, at) => ({
    ...organisation,
    client: new PathologyClient({ ...settings[at], logger }),
  }))
}

/** Returns the name of an organisation's own variable, such as `PATHOLOGY_NORTH_CLIENT_ID`. */
export function variableOf(name: string, variable: string): string {
  return variable.replace(/^PATHOLOGY_/, `PATHOLOGY_${name.toUpperCase()}_`)
}

function namesOf(text: string): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const isValid = names.length > 0 && names.every((name) => /^[a-z][a-z0-9_]{0,47}$/.test(name))
  if (isValid && new Set(names).size === names.length) return names
  throw new UsageError(
    `${ORGANISATIONS_VARIABLE} must be different names, separated by commas, such as north,south. A name begins with a lower-case letter, and has up to 48 lower-case letters, digits and underscores`,
  )
}
