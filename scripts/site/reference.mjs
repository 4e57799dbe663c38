// Adapts the pages of typedoc for the site.

/** A `Throws` heading with its text, up to the next heading, horizontal rule or end of the page. */
const THROWS = /^(?<level>#{2,6}) Throws\n\n(?<text>[\s\S]*?)(?=\n+(?:#{2,6} |\*\*\*$)|\s*$(?![\s\S]))/gm
const RESOURCE = /^# .+\n\n.*?, as `(client\.\w+)`\./
const FROM_ZOD = /^## Extends\n\n- `output`\\<\*typeof\* .*\n\n/gm
const GENERATED_DEFAULT = /^`(?:\.\.\.|\w+Schema.*|z\..*)`$/

/**
 * Merges the errors of each method into one list, shortens the titles of resources, and removes the texts about zod
 * schemas.
 *
 * @param {string} page
 */
export function tidied(page) {
  const resource = RESOURCE.exec(page)?.[1]
  const named = resource === undefined ? page : page.replace(/^# .+/, `# ${resource}`)
  return withoutSchemaColumns(mergedErrors(named.replace(FROM_ZOD, '')))
}

/** Merges the errors of each method into one list, because typedoc writes a heading for each error. @param {string} page */
function mergedErrors(page) {
  let end = 0
  return page.replaceAll(THROWS, (match, level, text, offset) => {
    const isFirst = page.slice(end, offset).trim() !== ''
    end = offset + match.length
    return `${isFirst ? `${level} Errors\n\n` : ''}- ${text.trim().replaceAll('\n', '\n  ')}`
  })
}

/** @param {string} page */
function withoutSchemaColumns(page) {
  return page.replaceAll(/^(?:\|.*\|\n)+/gm, (table) => {
    const rows = table.trimEnd().split('\n').map(cells)
    const [head = []] = rows
    const dropped = head.flatMap((name, column) => {
      const values = rows.slice(2).map((row) => row[column] ?? '')
      return isOfSchema(name, values) ? [column] : []
    })
    const kept = rows.map((row) => row.filter((_, column) => !dropped.includes(column)))
    return kept.map((row) => `| ${row.join(' | ')} |\n`).join('')
  })
}

/**
 * @param {string} name of a column
 * @param {readonly string[]} values
 */
function isOfSchema(name, values) {
  if (name === 'Default value') return values.some((value) => GENERATED_DEFAULT.test(value))
  return name === 'Inherited from' && values.some((value) => value.startsWith('`z.infer'))
}

/** Returns the cells of a row. An escaped bar is part of a cell. @param {string} row */
const cells = (row) =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
