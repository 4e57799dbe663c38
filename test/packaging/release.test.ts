import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { VERSION } from 'pathology-sdk'
import { expect, it } from 'vitest'

import project from '../../package.json' with { type: 'json' }
import { releaseProblems } from '../../scripts/check-release.mjs'
import { relativeLinks, withAbsoluteLinks } from '../../scripts/readme-links.mjs'

const READY = {
  tag: 'v1.2.3',
  manifest: {
    version: '1.2.3',
    repository: { type: 'git', url: 'git+https://git.example/pathology-sdk.git' },
  },
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-03-02\n',
  readme:
    '# Name\n\n[Guide](https://git.example/pathology-sdk/blob/HEAD/docs/guide.md) and [below](#below)\n',
}

it('a release has one version: package.json, and VERSION for the User-Agent', () => {
  expect(VERSION).toBe(project.version)
})

it('a release is published when tag, version, repository and changelog agree', () => {
  expect(releaseProblems(READY)).toEqual([])
})

it.each([
  ['another tag', { tag: 'v1.2.4' }, /^The tag is v1\.2\.4/],
  ['no tag', { tag: '' }, /^The tag is missing/],
  ['no repository', { manifest: { version: '1.2.3' } }, /no repository/],
  ['relative links of the README', { readme: '[Guide](docs/guide.md)' }, /npm run readme:links/],
  ['no entry in the changelog', { changelog: '## [Unreleased]\n' }, /no "## \[1\.2\.3\]"/],
])('a release is rejected because of %s', (_, change, problem) => {
  expect(releaseProblems({ ...READY, ...change })).toEqual([expect.stringMatching(problem)])
})

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const address = 'https://git.example/owner/pathology-sdk'

it('links of the README become absolute when the repository is known, and point to the same files', () => {
  const absolute = withAbsoluteLinks(readme, { url: `git+${address}.git` })
  const paths = [
    ...absolute.matchAll(/\]\(https:\/\/git\.example\/owner\/pathology-sdk\/(?:blob|raw)\/HEAD\/([^)#]+)/g),
  ]
  expect(relativeLinks(absolute)).toEqual([])
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter(([, path = '']) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([])
  expect(absolute).toContain(`](${address}/raw/HEAD/docs/images/`)
  expect(withAbsoluteLinks(absolute, { url: address })).toBe(absolute)
})

it('links of the README are absolute once package.json has a repository', () => {
  const advice = 'run npm run readme:links'
  if (Object.hasOwn(project, 'repository')) expect(relativeLinks(readme), advice).toEqual([])
  else expect(relativeLinks(readme).length).toBeGreaterThan(20)
})

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url))
const text = (name: string): string => readFileSync(folder + name, 'utf8')

it('workflows run scripts that exist', () => {
  const scripts = readdirSync(folder).flatMap((name) => [...text(name).matchAll(/npm run (\S+)/g)])
  expect(scripts.length).toBeGreaterThan(2)
  for (const [, script = ''] of scripts) expect(Object.keys(project.scripts)).toContain(script)
})

it('workflows name every action by its commit, with the version in a comment, because a tag can be moved', () => {
  const actions = readdirSync(folder).flatMap((name) =>
    [...text(name).matchAll(/^\s*(?:- )?["']?uses["']?:(.*)$/gm)].map(([, action = '']) => action.trim()),
  )
  expect(actions.length).toBeGreaterThan(2)
  for (const action of actions) expect(action).toMatch(/^[\w-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

/** The lines of each job, without comments. */
const jobsOf = (name: string): ReadonlyMap<string, string> => {
  const jobs =
    text(name)
      .replace(/#.*$/gm, '')
      .split(/^jobs:$/m)[1] ?? ''
  const parts = jobs.split(/^ {2}(\w+):\s*$/m).slice(1)
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [])))
}

const permissionsOf = (job: string): string[] =>
  [...(/^ {4}permissions:\n((?: {6}.*\n)*)/m.exec(job)?.[1] ?? '').matchAll(/^ +(\S+: \w+)/gm)].map(
    ([, permission = '']) => permission,
  )

it('a separate job publishes, the only one with the right to publish', () => {
  const jobs = jobsOf('release.yml')
  expect([...jobs.keys()]).toEqual(['build', 'publish'])
  expect(permissionsOf(jobs.get('build') ?? '')).toEqual(['contents: read'])
  expect(permissionsOf(jobs.get('publish') ?? '')).toEqual(['id-token: write'])
  expect(text('release.yml')).toMatch(/^permissions: \{\}$/m)
  for (const name of readdirSync(folder).filter((other) => other !== 'release.yml')) {
    expect(text(name), name).not.toMatch(/id-token|write/)
  }
})

it('the file that was built and tested is published with provenance, by a job that runs no code of the project', () => {
  const jobs = jobsOf('release.yml')
  const [build = '', publish = ''] = [jobs.get('build'), jobs.get('publish')]
  for (const job of [build, publish]) expect(job).toMatch(/^ {4}steps:$/m)
  expect(build.indexOf('run: .ci/run')).toBeGreaterThan(0)
  expect(build.indexOf('npm pack')).toBeGreaterThan(build.indexOf('run: .ci/run'))
  expect(build.indexOf('actions/upload-artifact')).toBeGreaterThan(build.indexOf('npm pack'))
  expect(build).not.toMatch(/npm publish|environment:/)
  expect(publish).toMatch(/^ {4}needs: build$/m)
  expect(publish).toMatch(/^ {4}environment: npm$/m)
  const actions = [...publish.matchAll(/uses: (\S+)@/g)].map(([, action]) => action)
  expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact'])
  const commands = [...publish.matchAll(/run: (.*)$/gm)].map(([, command = '']) => command.trim())
  expect(commands).toEqual([
    'echo "$SHA256  package.tgz" | sha256sum --check --strict',
    'npm publish ./package.tgz --provenance --access public --ignore-scripts',
  ])
})

const policy = readFileSync(fileURLToPath(new URL('../../SECURITY.md', import.meta.url)), 'utf8')

it('the security policy names the compiled-in packages, whose advisories require a release', () => {
  const config = readFileSync(fileURLToPath(new URL('../../tsup.config.ts', import.meta.url)), 'utf8')
  const [, list = ''] = /noExternal: \[(.*)\]/.exec(config) ?? []
  const bundled = list.split(',').map((entry) => entry.replace(/[^a-z-]/g, ''))
  expect(bundled).toContain('jose')
  const paragraph = policy.split(/\n{2,}/).find((text) => text.includes('compiled into')) ?? ''
  for (const name of bundled) expect(paragraph).toContain(name)
  expect(paragraph).toMatch(/advisor/)
})
