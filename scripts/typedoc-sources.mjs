// A plugin of typedoc: a source file that a page links to becomes a page. Served as it is, a browser would take a .ts file
// for a film and save it. A link to a line of a module's own file leads there too, and not to the module's page.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Converter, ReflectionKind, RendererEvent } from 'typedoc'

const SOURCE = /\.(?:ts|mjs|yml)$/
const LINK = /(media\/[^"#?]+\.(?:ts|mjs|yml))(?=["#])/g
const LINE = /^L\d+$/

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Each line by its number, as in `#L12`. @param {string} text */
const lines = (text) =>
  escaped(text)
    .split('\n')
    .map((line, index) => `<span id="L${index + 1}">${line}</span>`)
    .join('\n')

/** @param {string} name @param {string} text */
const sourcePage = (name, text) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>${name}</title>
<link rel="icon" href="../assets/favicon.svg"/>
<style>:target { background: Mark; color: MarkText; scroll-margin-top: 30vh }</style>
</head>
<body>
<p><a href="../index.html">pathology-sdk</a> / ${name}</p>
<pre>${lines(text)}</pre>
</body>
</html>
`

/** @param {string} directory the site's */
function makeSourcePages(directory) {
  const media = join(directory, 'media')
  for (const name of readdirSync(media).filter((file) => SOURCE.test(file))) {
    writeFileSync(join(media, `${name}.html`), sourcePage(name, readFileSync(join(media, name), 'utf8')))
    rmSync(join(media, name))
  }
}

/** @param {string} directory the site's */
function linkSourcePages(directory) {
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.html') || path.startsWith('media')) continue
    const file = join(directory, path)
    const page = readFileSync(file, 'utf8')
    const linked = page.replaceAll(LINK, '$1.html')
    if (linked !== page) writeFileSync(file, linked)
  }
}

/**
 * Links of pages to lines of modules' own files, which typedoc would lead to the modules' pages. Pages lie in a folder
 * beside media.
 *
 * @param {import('typedoc').ProjectReflection} project
 * @returns {ReadonlyMap<string, string>} the files, by their names in media
 */
function linkModuleFiles(project) {
  /** @type {Map<string, string>} */
  const files = new Map()
  for (const page of project.getReflectionsByKind(ReflectionKind.Document)) {
    if (!page.isDocument()) continue
    page.content = page.content.map((part) => {
      if (part.kind !== 'relative-link' || !LINE.test(part.targetAnchor ?? '')) return part
      const module = part.target === undefined ? undefined : project.files.resolve(part.target, project)
      if (module === undefined || typeof module === 'string') return part
      const path = project.getSymbolIdFromReflection(module)?.packagePath
      if (path === undefined) throw new Error(`the file of ${module.name} is not known`)
      const name = path.replaceAll('/', '-')
      files.set(name, path)
      return { kind: 'text', text: `../media/${name}#${part.targetAnchor}` }
    })
  }
  return files
}

/** @param {import('typedoc').Application} app */
export function load(app) {
  /** @type {ReadonlyMap<string, string>} */
  let files = new Map()
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    files = linkModuleFiles(project)
  })
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    for (const [name, path] of files) copyFileSync(path, join(outputDirectory, 'media', name))
    makeSourcePages(outputDirectory)
    linkSourcePages(outputDirectory)
  })
}
