// Writes the generated pages of the site into docs/reference, after typedoc: part of npm run docs.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COPIED_PAGES } from '../../docs/.vitepress/navigation.mjs'
import { httpPages } from './http.mjs'
import { apiInShort, examplePages, llmsText, ROOT, read } from './pages.mjs'
import { tidied } from './reference.mjs'

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), text)
}

/** @type {Map<string, string>} */
const resources = new Map()
const folder = 'docs/reference/pathology-sdk'
for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.md')) continue
  const page = tidied(read(`${folder}/${name}`))
  write(`${folder}/${name}`, page)
  const [, resource] = /^# (client\.\w+)$/m.exec(page) ?? []
  if (resource !== undefined) resources.set(resource, `${folder}/${name}`)
}
write('docs/reference/index.md', apiInShort(resources))
for (const [source, page] of Object.entries(COPIED_PAGES)) write(page, read(source))
for (const [page, text] of [...examplePages(), ...httpPages(resources)]) write(page, text)
copyFileSync(join(ROOT, 'openapi.json'), join(ROOT, 'docs/public/openapi.json'))
copyFileSync(join(ROOT, 'docs/images/fake-console.png'), join(ROOT, 'docs/public/fake-console.png'))
write('docs/public/llms.txt', llmsText())
