import { Argument, type Command } from 'commander'
import type { CommandRow } from '../shared/command.js'

const NAMES = ['pathology', 'pathology-sdk']

/** A command line up to a command, and the words that can follow it. */
interface Step {
  readonly path: readonly string[]
  readonly words: readonly { readonly word: string; readonly text: string }[]
}

export const commands: readonly CommandRow[] = [
  {
    arguments: [new Argument('<shell>').choices(['bash', 'zsh', 'fish'])],
    isOffline: true,
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/pathology',
      'completion fish > ~/.config/fish/completions/pathology.fish',
    ],
    run: async ({ stdout }, shell: string, _: object, { parent }: Command) => {
      const steps = parent === null ? [] : stepsOf(parent)
      const script = shell === 'fish' ? fishScript(steps) : bashScript(steps)
      const start = shell === 'zsh' ? 'autoload -Uz compinit bashcompinit && compinit && bashcompinit\n' : ''
      stdout.write(`${start}${script}`)
      return undefined
    },
  },
]

function stepsOf(command: Command, path: readonly string[] = []): Step[] {
  const commands = command.commands.map((each) => ({ word: each.name(), text: each.description() }))
  const flags = command.options.map(({ long, description }) => ({ word: long ?? '', text: description }))
  const help = { word: '--help', text: 'show the help' }
  return [
    { path, words: [...commands, ...flags, help] },
    ...command.commands.flatMap((each) => stepsOf(each, [...path, each.name()])),
  ]
}

/** A command line completes with the words of the longest step that it begins with, or else with file names. */
function bashScript(steps: readonly Step[]): string {
  const cases = steps.map(
    ({ path, words }) =>
      `    '${['', ...path].join(' ')} '*) found='${words.map(({ word }) => word).join(' ')}' ;;`,
  )
  return `_pathology() {
  local found='' line=" \${COMP_WORDS[*]:1:COMP_CWORD-1} "
  case "$line" in
${cases.reverse().join('\n')}
  esac
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pathology ${NAMES.join(' ')}
`
}

function fishScript(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ path, words }) => {
    const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`)
    const commands = words.filter(({ word }) => !word.startsWith('-')).map(({ word }) => word)
    const others = commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.join(' ')}`]
    const condition = [...seen, ...others].join('; and ') || 'true'
    return words.map(({ word, text }) => {
      const kind = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c pathology -n '${condition}' ${kind} -d '${text.replaceAll("'", '’')}'`
    })
  })
  return `${lines.join('\n')}\ncomplete -c pathology-sdk -w pathology\n`
}
