import { DEFAULT_FAKE_OPTIONS } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'
import { flagOf, isSwitch, OPTION_NAMES, type OptionName, OWN_FLAGS } from './flags.js'

const WIDTH = 32

/** Returns the text of `--help`. */
export function helpText(): string {
  return [
    'Usage: pathology-fake [flags]',
    '       pathology-fake resend|trigger|advance|fault …   controls a running fake; each has its own --help',
    '',
    'Starts a fake of the pathology service on this machine.',
    'When the fake is ready, the command prints one line of JSON:',
    '  {"baseUrl","authUrl","clientId","clientSecret","signingSecret","controlUrl"}',
    'In a terminal, the command also prints these values to standard error, as lines for a .env file.',
    'Open controlUrl in a browser for the console. Stop the fake with Ctrl-C.',
    '',
    'Flags:',
    ...OWN_FLAGS.map(({ name, value, description }) =>
      row(value === undefined ? name : `${name} ${value}`, description),
    ),
    '',
    'Options of the fake (also as --set name=value). docs/fake-options.md in the package describes each option. Example:',
    `  npx pathology-fake --review-hold --issue-timing '{"afterMs":60000}'`,
    ...OPTION_NAMES.filter((name) => name !== 'seed').map(optionRow),
    '',
    'Exit codes: 0 stopped, or help or version printed; 2 invalid flags, a port or host that cannot be used, or a seed file that cannot be read.',
    '',
  ].join('\n')
}

function optionRow(name: OptionName): string {
  const flag = isSwitch(name) ? flagOf(name) : `${flagOf(name)} V`
  const value = DEFAULT_FAKE_OPTIONS[name]
  return row(
    flag,
    `${OPTION_RULES[name].words}; default: ${value === undefined ? 'none' : JSON.stringify(value)}`,
  )
}

function row(flag: string, description: string): string {
  const head = `  --${flag}`
  return head.length < WIDTH
    ? `${head.padEnd(WIDTH)}${description}`
    : `${head}\n${' '.repeat(WIDTH)}${description}`
}
