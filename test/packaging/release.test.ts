import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

import project from '../../package.json' with { type: 'json' }
import { releaseProblems } from '../../scripts/check-release.mjs'

const READY = {
  tag: 'v1.2.3',
  manifest: {
    version: '1.2.3',
    repository: { type: 'git', url: 'git+https://git.example/pathology-sdk.git' },
  },
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-03-02\n',
}

describe('a release', () => {
  it('goes out when tag, version, repository and changelog agree', () => {
    expect(releaseProblems(READY)).toEqual([])
  })

  it.each([
    ['another tag', { tag: 'v1.2.4' }, /^The tag is v1\.2\.4/],
    ['no tag', { tag: '' }, /^The tag is missing/],
    ['no repository', { manifest: { version: '1.2.3' } }, /no repository/],
    ['no entry in the changelog', { changelog: '## [Unreleased]\n' }, /no "## \[1\.2\.3\]"/],
  ])('is held back by %s', (_, change, problem) => {
    expect(releaseProblems({ ...READY, ...change })).toEqual([expect.stringMatching(problem)])
  })
})

describe('the workflows', () => {
  const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url))
  const text = (name: string): string => readFileSync(folder + name, 'utf8')

  it('run scripts that there are', () => {
    const scripts = readdirSync(folder).flatMap((name) => [...text(name).matchAll(/npm run (\S+)/g)])
    expect(scripts.length).toBeGreaterThan(2)
    for (const [, script = ''] of scripts) expect(Object.keys(project.scripts)).toContain(script)
  })

  it('name every action by the commit, which nobody can move as they can a tag, and say its version', () => {
    const actions = readdirSync(folder).flatMap((name) =>
      [...text(name).matchAll(/^\s*(?:- )?["']?uses["']?:(.*)$/gm)].map(([, action = '']) => action.trim()),
    )
    expect(actions.length).toBeGreaterThan(2)
    for (const action of actions) expect(action).toMatch(/^[\w-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('publish only what .ci/run has passed, with provenance', () => {
    const steps = text('release.yml')
    expect(steps).toContain('id-token: write')
    expect(steps.indexOf('run: .ci/run')).toBeGreaterThan(0)
    expect(steps.indexOf('npm publish --provenance')).toBeGreaterThan(steps.indexOf('run: .ci/run'))
  })
})
