import { DEFAULT_FAKE_OPTIONS, type ResolvedFakeOptions } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'

/** A flag of the command line that is no option of the fake. */
export interface OwnFlag {
  readonly name: string
  /** What stands for its value in the help; none for a switch. */
  readonly value?: string
  readonly description: string
}

/** Flags about the command itself. */
export const OWN_FLAGS: readonly OwnFlag[] = [
  { name: 'port', value: 'N', description: 'port of the API and the token service; default any free one' },
  { name: 'documents-port', value: 'N', description: 'port of the documents; default any free one' },
  { name: 'control-port', value: 'N', description: 'port of the control interface; default any free one' },
  { name: 'host', value: 'H', description: 'address to listen on; default 127.0.0.1' },
  {
    name: 'seed',
    value: 'N|file',
    description: 'a whole number, or a snapshot saved from the control interface',
  },
  { name: 'set', value: 'name=value', description: 'any option below, by its name; may be repeated' },
  { name: 'help', description: 'print this and end' },
  { name: 'version', description: 'print the version of the package and end' },
]

export type OptionName = keyof ResolvedFakeOptions

/** Option names in the order of the help. */
export const OPTION_NAMES: readonly OptionName[] = Object.keys(OPTION_RULES).filter(isOptionName)

/** `allowLoopbackWebhooks` as `allow-loopback-webhooks`. */
export function flagOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The option that a flag or a name in `--set` means. */
export function optionOf(text: string): OptionName | undefined {
  return OPTION_NAMES.find((name) => name === text || flagOf(name) === text)
}

/** Whether a flag needs no value: `--allow-loopback-webhooks` means `true`. */
export function isSwitch(name: OptionName): boolean {
  return typeof DEFAULT_FAKE_OPTIONS[name] === 'boolean'
}

/** An option's value from its text: JSON where it is that, else the text itself. */
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
