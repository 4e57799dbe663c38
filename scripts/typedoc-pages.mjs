// A plugin of typedoc: pages are named by their first heading and sorted into groups, so that the Markdown files need
// no front matter, which other readers of them would show.
import { Converter, ReflectionKind } from 'typedoc'

/** @type {readonly (readonly [pattern: RegExp, group: string])[]} */
const GROUPS = [
  [/^docs\/guides\//, 'Guides'],
  [/^docs\/decisions\//, 'Decisions'],
  [/^docs\//, 'Reference'],
  [/./, 'Project'],
]

const HEADING = /^\s*# (.+)\n/
/** What other readers of Markdown draw as a box to tick, and typedoc shows as it stands. */
const UNTICKED = /^- \[ \] /gm

/** @param {import('typedoc').DocumentReflection} page */
function present(page) {
  const group = GROUPS.find(([pattern]) => pattern.test(page.name))?.[1] ?? 'Project'
  page.frontmatter = { ...page.frontmatter, group }
  page.name = HEADING.exec(page.content[0]?.text ?? '')?.[1] ?? page.name
  for (const part of page.content) if (part.kind === 'text') part.text = part.text.replace(UNTICKED, '- ☐ ')
}

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const page of context.project.getReflectionsByKind(ReflectionKind.Document)) {
      if (page.isDocument()) present(page)
    }
    // The start page shows the project's name above it already.
    const [start] = context.project.readme ?? []
    if (start !== undefined) start.text = start.text.replace(HEADING, '')
  })
}
