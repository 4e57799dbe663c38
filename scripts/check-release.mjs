// Checks whether a tag may be published, for .github/workflows/release.yml. The tag is in GITHUB_REF_NAME.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { relativeLinks } from './readme-links.mjs'

/**
 * Returns the problems that prevent a release, one sentence each.
 *
 * @param {{ tag: string, manifest: { version: string, repository?: unknown }, changelog: string, readme: string }} release
 */
export function releaseProblems({ tag, manifest: { version, repository }, changelog, readme }) {
  const heading = `## [${version}]`
  return [
    ...(tag === `v${version}`
      ? []
      : [`The tag is ${tag || 'missing'}, and package.json has version ${version}.`]),
    ...(repository === undefined
      ? [
          'package.json has no repository, and npm rejects provenance without this field: see CONTRIBUTING.md, "Releasing".',
        ]
      : []),
    ...(changelog.split('\n').some((line) => line.startsWith(heading))
      ? []
      : [`CHANGELOG.md has no "${heading}".`]),
    ...(relativeLinks(readme).length === 0
      ? []
      : ['README.md has relative links, which a registry may not resolve: run npm run readme:links.']),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @param {string} path */
  const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const tag = process.env['GITHUB_REF_NAME'] ?? ''
  const manifest = JSON.parse(read('package.json'))
  const problems = releaseProblems({
    tag,
    manifest,
    changelog: read('CHANGELOG.md'),
    readme: read('README.md'),
  })
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
