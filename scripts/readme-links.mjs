// Makes the relative links of the README absolute, for registries that do not resolve them.
// Run it once, when package.json has a repository: npm run readme:links
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const RELATIVE_LINK = /(?<start>(?<mark>!?)\[[^\]]*\]\()(?<path>(?![a-z]+:|#|\/)[^)\s]+)\)/gi

/** Returns the paths of the relative links in a README. @param {string} readme */
export const relativeLinks = (readme) =>
  [...readme.matchAll(RELATIVE_LINK)].flatMap(({ groups }) => groups?.['path'] ?? [])

/**
 * Returns a README with absolute links.
 *
 * @param {string} readme
 * @param {string | { url?: string }} repository field of package.json; its URL must be https
 */
export function withAbsoluteLinks(readme, repository) {
  const url = typeof repository === 'string' ? repository : (repository.url ?? '')
  const address = url.replace(/^git\+/, '').replace(/\.git$/, '')
  if (!/^https:\/\/\S+$/.test(address))
    throw new Error(`package.json: repository is not an https address: ${url}`)
  return readme.replaceAll(
    RELATIVE_LINK,
    (_link, start, mark, path) => `${start}${address}/${mark === '!' ? 'raw' : 'blob'}/HEAD/${path})`,
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = new URL('../', import.meta.url)
  const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  if (repository === undefined)
    throw new Error('package.json has no repository: see CONTRIBUTING.md, "Releasing"')
  const readme = new URL('README.md', root)
  writeFileSync(readme, withAbsoluteLinks(readFileSync(readme, 'utf8'), repository))
}
