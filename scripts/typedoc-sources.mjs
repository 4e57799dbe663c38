// A plugin of typedoc: a source file that a page links to becomes a page. A browser takes a .ts file for a film and saves it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RendererEvent } from 'typedoc'

const SOURCE = /\.(?:ts|mjs|yml)$/
const LINK = /(media\/[^"#?]+\.(?:ts|mjs|yml))(?=["#])/g

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @param {string} name @param {string} text */
const sourcePage = (name, text) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>${name}</title>
<link rel="icon" href="../assets/favicon.svg"/>
</head>
<body>
<p><a href="../index.html">pathology-sdk</a> / ${name}</p>
<pre>${escaped(text)}</pre>
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

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    makeSourcePages(outputDirectory)
    linkSourcePages(outputDirectory)
  })
}
