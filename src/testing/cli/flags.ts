import { DEFAULT_FAKE_OPTIONS, type ResolvedFakeOptions } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'

/** A flag of the command itself, not an option of the fake. */
export interface OwnFlag {
  readonly name: string
  /** Placeholder of the flag's value in the help; absent for a flag without a value. */
  readonly value?: string
  readonly description: string
}

/** Flags of the command itself. */
export const OWN_FLAGS: readonly OwnFlag[] = [
  { name: 'port', value: 'N', description: 'port of the API and the token service; default: any free port' },
  { name: 'documents-port', value: 'N', description: 'port of the documents; default: any free port' },
  { name: 'control-port', value: 'N', description: 'port of the control API; default: any free port' },
  { name: 'host', value: 'H', description: 'address of the API and the documents; default: 127.0.0.1' },
  {
    name: 'allowed-hosts',
    value: 'NAME,…',
    description:
      'additional names for the Host header of a request, separated by commas; default: only names of this machine, or any name if --host is not a loopback address',
  },
  {
    name: 'seed',
    value: 'N|file',
    description:
      'seed of the generated data: an integer, or a file with a snapshot from GET /snapshot of the control API',
  },
  { name: 'set', value: 'name=value', description: 'sets an option of the fake; can be repeated' },
  { name: 'help', description: 'prints the help and exits' },
  { name: 'version', description: 'prints the version and exits' },
]

export type OptionName = keyof ResolvedFakeOptions

/** Option names, in the order of the help. */
export const OPTION_NAMES: readonly OptionName[] = Object.keys(OPTION_RULES).filter(isOptionName)

/** Returns the flag of an option: `allow-loopback-webhooks` for `allowLoopbackWebhooks`. */
export function flagOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Returns the option of a flag, or of a name in `--set`. */
export function optionOf(text: string): OptionName | undefined {
  return OPTION_NAMES.find((name) => name === text || flagOf(name) === text)
}

/** Returns `true` when a flag can be without a value: `--allow-loopback-webhooks` means `true`. */
export function isSwitch(name: OptionName): boolean {
  return typeof DEFAULT_FAKE_OPTIONS[name] === 'boolean'
}

/** Parses an option's value: as text if the option accepts the text, otherwise as JSON if possible. */
export function optionValue(name: OptionName, text: string): unknown {
  if (OPTION_RULES[name].accepts(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTION_RULES, name)
}
