/** @typedef {{ readonly name: string, readonly cpu?: number, readonly wall: number, readonly cpuRatio?: number, readonly wallRatio: number }} Row */

/** @param {number | undefined} value */
const ratio = (value) => (value === undefined ? '' : `${value.toFixed(2)}x`)

/** @param {number | undefined} micros */
function time(micros) {
  if (micros === undefined) return ''
  return micros < 2_000 ? `${micros.toFixed(1)} µs` : `${(micros / 1_000).toFixed(1)} ms`
}

/**
 * @param {string} title
 * @param {readonly Row[]} rows
 */
export function table(title, rows) {
  const lines = rows.map(
    ({ name, cpu, wall, cpuRatio, wallRatio }) =>
      `| ${name} | ${time(cpu)} | ${ratio(cpuRatio)} | ${time(wall)} | ${ratio(wallRatio)} |`,
  )
  return [
    `### ${title}`,
    '',
    '| Program | CPU | CPU ratio | time | time ratio |',
    '|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

const BAR = 360
const LEFT = 300
const STEP = 22

/**
 * Draws the ratios of one table as bars. The dashed line shows the first row, whose ratio is 1.
 * @param {string} title
 * @param {readonly Row[]} rows
 * @param {number} top
 */
function bars(title, rows, top) {
  const values = rows.map(({ cpuRatio, wallRatio }) => cpuRatio ?? wallRatio)
  const scale = BAR / Math.max(...values, 1)
  const parts = [`<text x="10" y="${top - 8}" class="title">${escaped(title)}</text>`]
  for (const [index, { name }] of rows.entries()) {
    const value = values[index] ?? 0
    const y = top + index * STEP
    const mark = name.startsWith('pathology-sdk') ? 'ours' : 'theirs'
    parts.push(
      `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${LEFT}" y="${y + 2}" width="${(value * scale).toFixed(1)}" height="14" class="${mark}"/>`,
      `<text x="${(LEFT + value * scale + 6).toFixed(1)}" y="${y + 13}">${ratio(value)}</text>`,
    )
  }
  const line = LEFT + scale
  parts.push(
    `<line x1="${line.toFixed(1)}" x2="${line.toFixed(1)}" y1="${top - 2}" y2="${top + rows.length * STEP}" class="limit"/>`,
  )
  return parts.join('\n')
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** @param {Readonly<Record<string, readonly Row[]>>} tables */
export function plot(tables) {
  let top = 40
  const groups = Object.entries(tables).map(([title, rows]) => {
    const group = bars(title, rows, top)
    top += rows.length * STEP + 48
    return group
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="730" height="${top}" viewBox="0 0 730 ${top}" role="img" aria-label="CPU time per operation as a ratio to the first row">
<style>text{font:12px system-ui,sans-serif;fill:#222}.title{font-weight:600}.ours{fill:#0b7285}.theirs{fill:#ced4da}.limit{stroke:#c92a2a;stroke-dasharray:4 3}</style>
<rect width="730" height="${top}" fill="#fff"/>
${groups.join('\n')}
</svg>
`
}
