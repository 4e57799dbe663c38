/**
 * What a runtime did: the outcomes by kind of module, or no version when it could not be had.
 *
 * @typedef {import('./runtimes.mjs').Outcome} Outcome
 * @typedef {{ name: string, version: string | undefined, esm?: Outcome[], cjs?: Outcome[] }} Row
 */

export const NOT_AVAILABLE = 'not available here'

/** @param {Row} row @param {'esm' | 'cjs'} kind */
function cell({ version, ...row }, kind) {
  const outcomes = row[kind]
  if (version === undefined) return NOT_AVAILABLE
  if (outcomes === undefined) return '–'
  const failed = outcomes.filter(({ problem }) => problem !== undefined).length
  const all = outcomes.length === 1 ? '1 check' : `${outcomes.length} checks`
  return failed === 0 ? `passes ${all}` : `**fails ${failed} of ${all}**`
}

/** @param {readonly Row[]} rows */
export function table(rows) {
  return [
    '| Runtime | Version | ES modules | CommonJS |',
    '|---|---|---|---|',
    ...rows.map(
      (row) => `| ${row.name} | ${row.version ?? ''} | ${cell(row, 'esm')} | ${cell(row, 'cjs')} |`,
    ),
  ].join('\n')
}

/** @param {readonly Row[]} rows */
export function page(rows) {
  const titles = new Set(rows.flatMap(({ esm = [], cjs = [] }) => [...esm, ...cjs]).map(({ title }) => title))
  return `# Runtimes

> Written by \`npm run matrix\`, on ${process.platform} ${process.arch}; do not edit it.

The packed package, installed from its tarball as users install it, in each runtime. What could not be downloaded is
"${NOT_AVAILABLE}", which says nothing about the package; a dash is a way of loading that the runtime does not have.

${table(rows)}

## Good to know

- **Bun** has a stub of its own by the name of \`undici\`. The package imports \`undici/index.js\`, the real one; import an
  \`Agent\` or \`ProxyAgent\` for the \`dispatcher\` option from there too.
- **Deno** needs the permissions of what you do: \`--allow-net\`, \`--allow-env\`, and \`--allow-read\` for \`node_modules\`.
- **Workers** and other runtimes without Node's modules have \`pathology-sdk/webhooks\`; \`verifyWebhookSync\` says there
  that it needs \`node:crypto\`. The client needs Node's modules.
- **MSW 3** needs Node 22.12; its socket interceptor sees the client as it is, see
  [the example](../examples/msw-3/main.mjs).

## What is checked

${[...titles].map((title) => `- ${title}`).join('\n')}
`
}
