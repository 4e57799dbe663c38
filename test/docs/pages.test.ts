import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import project from '../../package.json' with { type: 'json' }
import { flagOf, OWN_FLAGS } from '../../src/cli/commands/fake-start.js'
import { OPTION_RULES } from '../../src/testing/options/option-rules.js'
import tools from '../tools/package.json' with { type: 'json' }
import zod3Tools from '../tools/zod-3/package.json' with { type: 'json' }
import { allBlocks, placeOf, ROOT, readPage } from './blocks.js'

const commands = allBlocks()
  .filter(({ language }) => language === 'bash')
  .flatMap(({ code, ...block }) =>
    code
      .split('\n')
      .flatMap((line) => line.split('&&'))
      .map((command) => ({ place: placeOf(block), command: command.trim() })),
  )

/** Forms of a documented command, and whether each works. */
const KNOWN: readonly (readonly [pattern: RegExp, works: (argument: string) => boolean])[] = [
  [/^npm ci()$/, () => true],
  [/^npm install (\S+)$/, (name) => name === project.name || Object.hasOwn(project.peerDependencies, name)],
  [/^npm (test)$/, (script) => Object.hasOwn(project.scripts, script)],
  [/^npm run (\S+)$/, (script) => Object.hasOwn(project.scripts, script)],
  [/^npx tsx (\S+)( \w+)?$/, (path) => existsSync(join(ROOT, path))],
  [/^npx (\S+@[\d.]+) .*openapi\.json/, isTestedTool],
  [/^npx pathology(?:-| )fake((?: --.*)?)$/, hasKnownFlags],
  // test/docs/command-line.test.ts runs them.
  [/^npx pathology( (?!fake --).*)$/, () => true],
]

/** The guides must name the tools and versions that the integration tests run. */
function isTestedTool(tool: string): boolean {
  const [name = '', version = ''] = tool.split(/(?<=.)@/)
  return Object.entries({ ...tools.dependencies, ...zod3Tools.dependencies }).some(
    ([each, pinned]) => each === name && pinned === version,
  )
}

function hasKnownFlags(text: string): boolean {
  const flags = [...text.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name)
  const known = [
    ...OWN_FLAGS.map(([flags]) => flags.replace(/^--| .*$/g, '')),
    'help',
    ...Object.keys(OPTION_RULES).map(flagOf),
  ]
  return flags.every((flag) => known.includes(flag))
}

it.each(commands)('a command in the documentation exists: $place $command', ({ command }) => {
  const found = KNOWN.flatMap(([pattern, works]) => {
    const argument = pattern.exec(command)?.[1]
    return argument === undefined ? [] : [works(argument)]
  })
  expect(found).toEqual([true])
})

it('the README has the two commands that every contributor needs', () => {
  const readme = readPage('README.md')
  expect(readme).toContain('```bash\nnpm ci && npm run demo\n```')
  expect(readme).toContain('```bash\nnpm ci && npm test\n```')
})
