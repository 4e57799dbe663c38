import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { ClientOptions, PathologyClient } from '../../client/index.js'
import { fileProblem } from './files.js'
import { type Terminal, UsageError } from './terminal.js'

/** Variables that several commands read. The `mirror` commands read further variables. */
export const VARIABLES = {
  baseUrl: 'PATHOLOGY_BASE_URL',
  authUrl: 'PATHOLOGY_AUTH_URL',
  clientId: 'PATHOLOGY_CLIENT_ID',
  clientSecret: 'PATHOLOGY_CLIENT_SECRET',
  webhookSecret: 'PATHOLOGY_WEBHOOK_SECRET',
  fakeControlUrl: 'PATHOLOGY_FAKE_CONTROL_URL',
} as const

/** Values of the variables; `undefined` when a variable is missing or empty. */
export type Environment = { readonly [Name in keyof typeof VARIABLES]: string | undefined }

/** Options of every command that reads variables. */
export interface EnvironmentOptions {
  readonly envFile?: string | undefined
}

/**
 * Reads the variables from the environment and from a file. A variable of the environment that is not empty takes
 * precedence over the file. By default, reads the file `.env` of the current directory, if there is such a file.
 *
 * @throws {@link UsageError} if the file cannot be read.
 */
export function readEnvironment(terminal: Terminal, options: EnvironmentOptions): Environment {
  const value = variableReader(terminal, options)
  return {
    baseUrl: value(VARIABLES.baseUrl),
    authUrl: value(VARIABLES.authUrl),
    clientId: value(VARIABLES.clientId),
    clientSecret: value(VARIABLES.clientSecret),
    webhookSecret: value(VARIABLES.webhookSecret),
    fakeControlUrl: value(VARIABLES.fakeControlUrl),
  }
}

/** Returns a function that returns the value of a variable; `undefined` if the variable is missing or empty. */
export function variableReader(
  terminal: Terminal,
  { envFile }: EnvironmentOptions,
): (name: string) => string | undefined {
  const file = fileVariables(terminal, envFile)
  return (name) => terminal.env[name] || file[name] || undefined
}

/** Returns the names of all variables, without values. */
export function variableNames(terminal: Terminal, { envFile }: EnvironmentOptions): readonly string[] {
  return Object.keys({ ...terminal.env, ...fileVariables(terminal, envFile) })
}

function fileVariables(
  terminal: Terminal,
  envFile: string | undefined,
): Readonly<Record<string, string | undefined>> {
  return readEnvFile(resolve(terminal.cwd, envFile ?? '.env'), envFile !== undefined)
}

/** Error codes for a path without a file. A Python project often has a directory `.env`. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

function readEnvFile(path: string, isRequired: boolean): Readonly<Record<string, string | undefined>> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!isRequired && NO_FILE.has(Reflect.get(Object(error), 'code'))) return {}
    const problem = fileProblem(error) ?? `${path} cannot be read`
    throw new UsageError(
      isRequired
        ? `--env-file: ${problem}`
        : `the default file .env: ${problem}. Correct it, or pass --env-file`,
    )
  }
  // Editors on Windows write a byte order mark, which would become a part of the first name.
  return parseEnv(text.replace(/^\uFEFF/, ''))
}

/**
 * Returns the options of a client from the environment.
 *
 * @param variableOf - Returns the name that the error message shows for a variable.
 * @throws {@link UsageError} with the names of missing variables.
 */
export function clientOptions(
  environment: Environment,
  variableOf: (variable: string) => string = (variable) => variable,
): ClientOptions {
  const names = ['baseUrl', 'authUrl', 'clientId', 'clientSecret'] as const
  const missing = names.filter((name) => environment[name] === undefined)
  if (missing.length > 0) {
    const list = missing.map((name) => variableOf(VARIABLES[name])).join(', ')
    throw new UsageError(
      `not set: ${list}. Set ${missing.length === 1 ? 'it' : 'them'} in the environment or in a .env file, then run` +
        ' npx pathology doctor. Without credentials, start npx pathology fake: it prints all of them',
    )
  }
  const { baseUrl, authUrl, clientId, clientSecret } = environment
  return { baseUrl, authUrl, clientId, clientSecret, appInfo: { name: 'pathology-cli' } }
}

/** Runs a function with a client that is closed afterwards. */
export async function withClient<T>(
  terminal: Terminal,
  options: EnvironmentOptions,
  use: (client: PathologyClient) => Promise<T>,
): Promise<T> {
  const settings = clientOptions(readEnvironment(terminal, options))
  const { PathologyClient } = await import('../../client/index.js')
  const warn = (text: string): void => terminal.stderr.write(`${text}\n`)
  const client = new PathologyClient({ ...settings, logger: { warn } })
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}
