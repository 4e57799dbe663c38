import { readFile } from 'node:fs/promises'
import { InvalidArgumentError, Option } from 'commander'
import { VERSION } from '../../client/resolve-options.js'
import { type FakeSnapshot, snapshotFromJson } from '../../testing/core/snapshot.js'
import { FakePathologyService, type FakeStartOptions } from '../../testing/fake-pathology-service.js'
import { DEFAULT_FAKE_OPTIONS, type ResolvedFakeOptions } from '../../testing/options/fake-options.js'
import { OPTION_RULES } from '../../testing/options/option-rules.js'
import { checkAllowedHosts } from '../../testing/transports/allowed-hosts.js'
import type { CommandRow } from '../shared/command.js'
import { type Terminal, UsageError } from '../shared/terminal.js'

/** Flags of the command itself, which are not options of the fake. */
export const OWN_FLAGS: readonly (readonly [flags: string, description: string, parse?: Parse])[] = [
  ['--port <N>', 'port of the API and the token service; default: any free port', portOf],
  ['--documents-port <N>', 'port of the documents; default: any free port', portOf],
  ['--control-port <N>', 'port of the control API; default: any free port', portOf],
  ['--host <H>', 'address of the API and the documents; default: 127.0.0.1'],
  [
    '--allowed-hosts <NAME,…>',
    'additional names for the Host header of a request, separated by commas; default: only names of this machine, or any name if --host is not a loopback address',
    hostsOf,
  ],
  [
    '--seed <N|file>',
    'seed of the generated data: an integer, or a file with a snapshot from GET /snapshot of the control API',
    (text) => (/^\d+$/.test(text) ? Number(text) : text),
  ],
  [
    '--set <name=value>',
    'sets an option of the fake; can be repeated',
    (text, before) => ({ ...Object(before), ...settingOf(text) }),
  ],
  ['--version', 'prints the version and exits'],
]

type Parse = (text: string, before: unknown) => unknown

type OptionName = keyof ResolvedFakeOptions

const OPTION_NAMES = Object.keys(OPTION_RULES).filter((name): name is OptionName =>
  Object.hasOwn(OPTION_RULES, name),
)

/** Options of new data. They are rejected together with a seed file, because the file already contains the data. */
const NEW_DATA: readonly OptionName[] = [
  'startTime',
  'signingSecret',
  'seedReferrals',
  'centreCount',
  'centreRefresh',
]

/** Returns the flag of an option: `allow-loopback-webhooks` for `allowLoopbackWebhooks`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** A switch without a value means `true`. */
function flagFor(name: OptionName): Option {
  const value = DEFAULT_FAKE_OPTIONS[name]
  const isSwitch = typeof value === 'boolean'
  const words = `${OPTION_RULES[name].words}; default: ${value === undefined ? 'none' : JSON.stringify(value)}`
  return new Option(`--${flagOf(name)} ${isSwitch ? '[boolean]' : '<value>'}`, words)
    .preset('true')
    .argParser((text: string) => optionValue(name, text))
}

/** Reads an option's value: as text if the option accepts the text, otherwise as JSON. */
function optionValue(name: OptionName, text: string): unknown {
  const { accepts, words } = OPTION_RULES[name]
  const value = accepts(text) ? text : jsonOf(text)
  if (!accepts(value)) throw new InvalidArgumentError(`'${name}' must be ${words}.`)
  return value
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function settingOf(text: string): object {
  const [, given = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
  if (given === '') throw new InvalidArgumentError(`--set needs name=value, not '${text}'.`)
  const name = OPTION_NAMES.find((option) => option === given || flagOf(option) === given)
  if (name === undefined) throw new InvalidArgumentError(`unknown option '${given}'.`)
  return { [name]: optionValue(name, value) }
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a port from 0 to 65535.')
  return port
}

function hostsOf(text: string): string[] {
  const names = text.split(',')
  try {
    checkAllowedHosts(names)
    return names
  } catch {
    throw new InvalidArgumentError('It must be host names without a port, separated by commas.')
  }
}

/** Parsed flags. `set` contains further options; a text in `seed` is the path of a snapshot. */
type StartFlags = Omit<FakeStartOptions, 'seed'> & {
  readonly seed?: number | string
  readonly set?: FakeStartOptions
  readonly version?: boolean
}

/** Returns the options of the fake, and the path of a snapshot to restore. */
export function startOptions({ seed, set, ...flags }: StartFlags): {
  readonly options: FakeStartOptions
  readonly seedFile: string | undefined
} {
  const options = { ...flags, ...set, ...(typeof seed === 'number' && { seed }) }
  const seedFile = typeof seed === 'string' ? seed : undefined
  const name = NEW_DATA.find((option) => Object.hasOwn(options, option))
  if (name !== undefined && seedFile !== undefined)
    throw new UsageError(
      `--${flagOf(name)} cannot be used with a seed file, because the file contains this data`,
    )
  return { options, seedFile }
}

/** Serves the fake until Ctrl-C or SIGTERM. */
async function serveFake(terminal: Terminal, { version, ...flags }: StartFlags): Promise<undefined> {
  const { stdout, stderr, signal } = terminal
  if (version === true) {
    stdout.write(`${VERSION}\n`)
    return undefined
  }
  const { options, seedFile } = startOptions(flags)
  const snapshot = seedFile === undefined ? undefined : await readSeed(seedFile)
  await using fake = await FakePathologyService.start(options).catch((error: unknown) => {
    throw new UsageError(startProblem(error))
  })
  if (snapshot !== undefined) restoreSeed(fake, snapshot, options.webhookUrl)
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const { signingSecret, controlUrl } = fake
  const ready = { baseUrl, authUrl, clientId, clientSecret, signingSecret, controlUrl }
  stdout.write(`${JSON.stringify(ready)}\n`)
  if (stdout.isTTY && stderr.isTTY) stderr.write(welcome(ready))
  if (signal.aborted) return undefined
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  return undefined
}

/** Restores a snapshot, and adds the webhook of the option `webhookUrl` if the snapshot has no webhook with this URL. */
function restoreSeed(
  fake: FakePathologyService,
  snapshot: FakeSnapshot,
  webhookUrl: string | undefined,
): void {
  try {
    fake.restore(snapshot)
  } catch (error) {
    throw new UsageError(startProblem(error))
  }
  if (webhookUrl === undefined) return
  const { href } = new URL(webhookUrl)
  const isKnown = snapshot.state.webhooks.lists.own.some(({ url }) => url === href)
  if (!isKnown) fake.webhooks.createInPortal({ url: webhookUrl })
}

async function readSeed(file: string): Promise<FakeSnapshot> {
  try {
    return snapshotFromJson(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`cannot read the seed file '${file}': ${startProblem(error)}`)
  }
}

function startProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = Reflect.get(error, 'code')
  const port = Reflect.get(error, 'port')
  if (code === 'EADDRINUSE')
    return `port ${port} is in use; stop the program that uses it, or pass another port`
  if (code === 'EACCES' && port !== undefined)
    return `no permission to use port ${port}; pass another port, such as 4010`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'the value of --host is not an address of this machine'
  return error.message.replaceAll('\n', '; ')
}

/** Returns the text for a terminal. Programs read the line of JSON instead. */
function welcome(ready: Readonly<Record<string, string | undefined>>): string {
  return [
    '',
    'The fake is ready. Keep this terminal open; stop the fake with Ctrl-C.',
    `Console: ${ready['controlUrl']}`,
    'For the .env file of your program:',
    '',
    `PATHOLOGY_BASE_URL=${ready['baseUrl']}`,
    `PATHOLOGY_AUTH_URL=${ready['authUrl']}`,
    `PATHOLOGY_CLIENT_ID=${ready['clientId']}`,
    `PATHOLOGY_CLIENT_SECRET=${ready['clientSecret']}`,
    `PATHOLOGY_WEBHOOK_SECRET=${ready['signingSecret']}`,
    `PATHOLOGY_FAKE_CONTROL_URL=${ready['controlUrl']}`,
    '',
    '',
  ].join('\n')
}

/** Every flag of the command: its own, and one for each option of the fake. */
export const START_FLAGS: readonly Option[] = [
  ...OWN_FLAGS.map(([flags, description, parse]) => {
    const option = new Option(flags, description)
    return parse === undefined ? option : option.argParser(parse)
  }),
  ...OPTION_NAMES.filter((name) => name !== 'seed').map(flagFor),
]

export const START: CommandRow = {
  isOffline: true,
  options: START_FLAGS,
  help: `
Starts a fake of the pathology service on this machine. When it is ready, the command prints one line of JSON:
  {"baseUrl","authUrl","clientId","clientSecret","signingSecret","controlUrl"}
In a terminal, it also prints these values to standard error, as lines for a .env file.
Open controlUrl in a browser for the console. Stop the fake with Ctrl-C.
docs/fake-options.md in the package describes each option; --set name=value sets one too.`,
  run: serveFake,
}
