// Import rules of src/, checked by `npm run lint`. Imports point downwards only, and `import type` counts.

/**
 * Parts of `src/` and their permitted imports.
 * - `parts`: other parts it may import.
 * - `packages`: packages it may import. `node:` stands for every module built into Node.
 * - `lazy`: packages it may load by `import()` and name by `import type` only.
 * - `folders`: its folders from the top to the bottom. A folder may import the folders after it. '.' stands for the files
 *   that lie in the part's own folder.
 *
 * @typedef {{ parts?: readonly string[], packages?: readonly string[], lazy?: readonly string[], folders?: readonly string[] }} Part
 * @type {Readonly<Record<string, Part>>}
 */
const PARTS = {
  common: { parts: ['contract'] },
  contract: { packages: ['zod'], folders: ['generated', 'schemas'] },
  forms: { parts: ['contract'], lazy: ['zod'] },
  display: { parts: ['contract'] },
  fhir: { parts: ['common', 'contract'], packages: ['node:'] },
  client: {
    parts: ['common', 'contract', 'forms'],
    packages: ['node:', 'p-retry'],
    lazy: ['undici', 'zod', 'jose'],
    folders: [
      ...['.', 'resources', 'documents', 'orders', 'ledger', 'pagination'],
      ...['call', 'auth', 'transport', 'core', 'errors'],
    ],
  },
  webhooks: {
    parts: ['common', 'contract'],
    lazy: ['node:', 'zod'],
    folders: ['.', 'adapters', 'receiver', 'verification'],
  },
  database: { parts: ['common', 'contract'], lazy: ['node:', 'pg', '@electric-sql/pglite'] },
  stores: { parts: ['common', 'contract', 'client', 'webhooks', 'database'], lazy: ['node:'] },
  testing: {
    parts: ['common', 'contract', 'display'],
    packages: ['node:', 'undici', 'zod'],
    lazy: ['msw'],
    folders: [
      ...['.', 'console', 'control', 'core', 'domain', 'seed', 'state', 'options'],
      ...['transports', 'faults', 'auth', 'server'],
    ],
  },
  mirror: {
    parts: ['common', 'contract', 'client', 'webhooks', 'database'],
    packages: ['node:'],
    lazy: ['pg', '@electric-sql/pglite'],
  },
  cli: {
    parts: [
      ...['common', 'contract', 'forms', 'display', 'fhir', 'client', 'webhooks'],
      ...['database', 'stores', 'testing', 'mirror'],
    ],
    packages: ['node:', 'commander', 'papaparse'],
    lazy: ['pg', 'redis', 'ioredis'],
    folders: ['.', 'commands', 'doctor', 'contract-check', 'mirror-service', 'shared'],
  },
}

/** @typedef {import('dependency-cruiser').IForbiddenRuleType} Rule */

/** Loaded later, or never. */
const LAZY = /** @type {const} */ (['type-only', 'type-import', 'dynamic-import'])

/** @param {readonly string[]} names Node's own modules have no path. */
const pathsOf = (names) =>
  names.filter((name) => name !== 'node:').map((name) => `^(node_modules/)?${name}(/|$)`)

/** @param {string} part @param {Part} rule @returns {Rule[]} */
function importRules(part, { parts = [], packages = [], lazy = [] }) {
  const from = { path: `^src/${part}/` }
  const mayUseNode = [...packages, ...lazy].includes('node:')
  const mayImport = [`^src/(${[part, ...parts].join('|')})/`, ...pathsOf([...packages, ...lazy])]
  /** @type {Rule[]} */
  const rules = [
    {
      name: `${part}-imports`,
      comment: `src/${part} imports only what its row in .dependency-cruiser.mjs permits.`,
      severity: 'error',
      from,
      to: { pathNot: mayImport, dependencyTypesNot: mayUseNode ? ['core'] : [] },
    },
  ]
  const comment = 'Load it by import(), and name its types by import type.'
  if (pathsOf(lazy).length > 0)
    rules.push({
      name: `${part}-lazy-packages`,
      comment,
      severity: 'error',
      from,
      to: { path: pathsOf(lazy), dependencyTypesNot: [...LAZY] },
    })
  if (lazy.includes('node:'))
    rules.push({
      name: `${part}-lazy-node`,
      comment,
      severity: 'error',
      from,
      to: { dependencyTypes: ['core'], dependencyTypesNot: [...LAZY] },
    })
  return rules
}

/** @param {string} part @param {string} folder */
const filesOf = (part, folder) => (folder === '.' ? `^src/${part}/[^/]+$` : `^src/${part}/${folder}/`)

/** @param {string} part @returns {Rule[]} */
function orderRules(part) {
  const folders = PARTS[part]?.folders ?? []
  return folders.slice(1).map((folder, index) => ({
    name: `${part}-folder-order`,
    comment: `Inside src/${part}, imports point downwards: ${folders.join(' > ')}.`,
    severity: 'error',
    from: { path: filesOf(part, folder) },
    to: { path: folders.slice(0, index + 1).map((above) => filesOf(part, above)) },
  }))
}

/** @param {readonly string[]} parts */
const within = (parts) => ({ path: `^src/(${parts.join('|')})/` })

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'unknown-part',
      comment: 'Every part of src/ has a row in .dependency-cruiser.mjs.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${Object.keys(PARTS).join('|')})/` },
      to: {},
    },
    ...Object.entries(PARTS).flatMap(([part, rule]) => importRules(part, rule)),
    ...Object.keys(PARTS).flatMap(orderRules),
    {
      name: 'no-cycle-of-files',
      severity: 'error',
      from: within(Object.keys(PARTS)),
      to: { circular: true },
    },
    {
      name: 'no-cycle-of-folders',
      severity: 'error',
      scope: 'folder',
      from: within(Object.keys(PARTS)),
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // The console's page is bundled for browsers and has a project of its own; Biome checks it for cycles.
    exclude: { path: '^src/testing/console/page/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.d.ts'],
    },
  },
}
