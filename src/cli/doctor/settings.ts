import { PathologyClient } from '../../client/index.js'
import { isPathologyError } from '../../common/errors.js'
import { clientOptions, type Environment, VARIABLES } from '../shared/environment.js'
import type { Terminal } from '../shared/terminal.js'
import { type Finding, failure, ok, warning } from './finding.js'

const REQUIRED = ['baseUrl', 'authUrl', 'clientId', 'clientSecret'] as const

/** Checks the version of Node and the variables. Warns of proxy variables, which the client does not use. */
export function checkSettings(environment: Environment, { env }: Pick<Terminal, 'env'>): Finding[] {
  return [
    checkNode(process.versions.node),
    checkVariables(environment),
    checkWebhookSecret(environment),
    ...checkProxy(env),
  ]
}

/** Checks a version of Node against the versions that the package supports. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const isSupported = major >= 22 || (major === 20 && (minor > 18 || (minor === 18 && patch >= 1)))
  if (isSupported) return ok('node', `Node ${version} is supported`)
  const fix = 'install Node 22 or later, or Node 20 from version 20.18.1'
  return failure('node', `Node ${version} is not supported`, fix)
}

function checkVariables(environment: Environment): Finding {
  const missing = REQUIRED.filter((name) => environment[name] === undefined).map((name) => VARIABLES[name])
  const fix =
    'set them in the environment or in a .env file in this directory. To try the package, start npx pathology-fake: it prints all of them'
  if (missing.length > 0) return failure('variables', `not set: ${missing.join(', ')}`, fix)
  try {
    new PathologyClient(clientOptions(environment))
    return ok('variables', 'URLs and credentials are set and have a valid form')
  } catch (error) {
    const message = isPathologyError(error) ? error.message : 'a variable has an invalid form'
    return failure('variables', message, 'correct the variable; copy it again without spaces and line breaks')
  }
}

function checkWebhookSecret({ webhookSecret }: Environment): Finding {
  const name = VARIABLES.webhookSecret
  if (webhookSecret === undefined)
    return warning('webhook secret', `${name} is not set`, `set ${name} if your program receives webhooks`)
  return webhookSecret === webhookSecret.trim()
    ? ok('webhook secret', `${name} is set`)
    : failure('webhook secret', `${name} begins or ends with white space`, 'remove the white space')
}

function checkProxy(env: Terminal['env']): Finding[] {
  const name = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'].find((each) => (env[each] ?? '') !== '')
  if (name === undefined) return []
  return [
    warning(
      'proxy',
      `${name} is set, but this program does not use the proxy`,
      'in your own program, set the option proxy; the guide "Proxies, logs and metrics" shows how',
    ),
  ]
}
