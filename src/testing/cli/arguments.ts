import { similarName } from '../../contract/similar.js'
import type { FakeStartOptions } from '../fake-pathology-service.js'
import { checkOptions } from '../options/option-rules.js'
import { checkAllowedHosts } from '../transports/allowed-hosts.js'
import { flagOf, isSwitch, OPTION_NAMES, type OptionName, OWN_FLAGS, optionOf, optionValue } from './flags.js'

/** A parsed command line. */
export type CliRequest =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'serve'
      readonly options: FakeStartOptions
      /** File with a snapshot to restore. */
      readonly seedFile: string | undefined
    }

/** Error for an invalid command line or seed file. The message of the error is one line. */
export class CliError extends Error {}

const PORTS: ReadonlyMap<string, 'port' | 'documentsPort' | 'controlPort'> = new Map([
  ['port', 'port'],
  ['documents-port', 'documentsPort'],
  ['control-port', 'controlPort'],
])

/** Options of new data. They are rejected together with a seed file, because the file already contains the data. */
const NEW_DATA_OPTIONS: readonly OptionName[] = [
  'startTime',
  'signingSecret',
  'seedReferrals',
  'centreCount',
  'centreRefresh',
]

/**
 * Parses the arguments after the command's name.
 *
 * @throws CliError - A flag is unknown or cannot be used with a seed file, or its value is missing or invalid.
 */
export function readArguments(words: readonly string[]): CliRequest {
  if (words.some((word) => word === '--help' || word === '-h')) return { kind: 'help' }
  if (words.includes('--version')) return { kind: 'version' }
  const options: Record<string, unknown> = {}
  let seedFile: string | undefined
  for (const { name, value } of readFlags(words)) {
    const port = PORTS.get(name)
    if (port !== undefined) options[port] = readPort(name, value)
    else if (name === 'host') options['host'] = value
    else if (name === 'allowed-hosts') options['allowedHosts'] = readHosts(value)
    else if (name === 'set') setOption(options, value)
    else if (name === 'seed' && !/^\d+$/.test(value)) seedFile = value
    else putOption(options, name, value)
  }
  rejectNewData(options, seedFile)
  return { kind: 'serve', options: checked(options), seedFile }
}

function rejectNewData(options: Readonly<Record<string, unknown>>, seedFile: string | undefined): void {
  const name = NEW_DATA_OPTIONS.find((option) => Object.hasOwn(options, option))
  if (name === undefined || seedFile === undefined) return
  throw new CliError(`--${flagOf(name)} cannot be used with a seed file, because the file contains this data`)
}

interface Flag {
  readonly name: string
  readonly value: string
}

function readFlags(words: readonly string[]): Flag[] {
  const flags: Flag[] = []
  for (let at = 0; at < words.length; at += 1) {
    const [, name = '', given] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(words[at] ?? '') ?? []
    if (name === '')
      throw new CliError(`'${words[at]}' is not a flag${switchAdvice(words[at - 1])}; see --help`)
    const option = optionOfFlag(name)
    const bare = option !== undefined && isSwitch(option) && !/^(?:true|false)$/.test(words[at + 1] ?? '')
    if (given === undefined && !bare) at += 1
    const value = given ?? (bare ? 'true' : words[at])
    if (value === undefined) throw new CliError(`--${name} needs a value; see --help`)
    flags.push({ name, value })
  }
  return flags
}

/** Returns advice for a word that is not a flag, if the previous word is the flag of a boolean option; otherwise ''. */
function switchAdvice(previous: string | undefined): string {
  const option = optionOf(previous?.replace(/^--/, '') ?? '')
  return option !== undefined && isSwitch(option) ? `: ${previous} takes true or false` : ''
}

function adviceFor(name: string): string {
  const meant = similarName(name, [...OWN_FLAGS.map((flag) => flag.name), ...OPTION_NAMES.map(flagOf)])
  return meant === undefined ? '' : `, did you mean --${meant}?`
}

/** Returns the option that a flag sets; `undefined` for a flag of the command itself. */
function optionOfFlag(name: string): OptionName | undefined {
  if (name !== 'seed' && OWN_FLAGS.some((flag) => flag.name === name)) return undefined
  const option = optionOf(name)
  if (option === undefined || flagOf(option) !== name)
    throw new CliError(`unknown flag --${name}${adviceFor(name)}; see --help`)
  return option
}

function readPort(name: string, value: string): number {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) throw new CliError(`--${name} must be a port from 0 to 65535`)
  return port
}

function readHosts(value: string): string[] {
  const names = value.split(',')
  try {
    checkAllowedHosts(names)
  } catch {
    throw new CliError('--allowed-hosts must be host names without a port, separated by commas')
  }
  return names
}

function setOption(options: Record<string, unknown>, text: string): void {
  const separator = text.indexOf('=')
  if (separator < 1) throw new CliError(`--set needs name=value, not '${text}'`)
  putOption(options, text.slice(0, separator), text.slice(separator + 1))
}

function putOption(options: Record<string, unknown>, name: string, text: string): void {
  const option = optionOf(name)
  if (option === undefined) throw new CliError(`unknown option '${name}'; see --help`)
  options[option] = optionValue(option, text)
}

function checked(options: Record<string, unknown>): FakeStartOptions {
  const { port: _p, documentsPort: _d, controlPort: _c, host: _h, allowedHosts: _a, ...fakeOptions } = options
  try {
    checkOptions(fakeOptions)
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message.replaceAll('\n', '; ') : String(error))
  }
  return options
}
