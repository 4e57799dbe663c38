// Sizes of the package, checked by `npm run check:package`. A change that needs more raises a limit here, for review.

/** @typedef {import('esbuild').BuildOptions} Bundle */

const DEPENDENCIES = ['undici', 'zod', 'jose', 'p-retry']

/** @param {Bundle} bundle @returns {Bundle} */
const forNode = (bundle) => ({ ...bundle, format: 'esm', platform: 'node', logLevel: 'error' })

/** Fails when a module of Node is imported. @param {Bundle} bundle @returns {Bundle} */
const forAnyRuntime = (bundle) => ({ ...forNode(bundle), platform: 'neutral' })

/** Leaves out the code that loads later. @param {Bundle} bundle @returns {Bundle} */
const loadedAtImport = (bundle) => ({
  ...forNode(bundle),
  plugins: [
    {
      name: 'without-lazy-code',
      setup({ onResolve }) {
        onResolve({ filter: /./ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined))
      },
    },
  ],
})

export default [
  {
    name: 'client in a bundle, without the runtime dependencies',
    path: 'dist/index.js',
    import: '{ PathologyClient }',
    ignore: DEPENDENCIES,
    modifyEsbuildConfig: forNode,
    gzip: true,
    limit: '63.6 kB',
  },
  {
    name: 'client, code loaded at import',
    path: 'dist/index.js',
    import: '*',
    ignore: DEPENDENCIES,
    modifyEsbuildConfig: loadedAtImport,
    gzip: true,
    limit: '41 kB',
  },
  {
    name: 'fhir in a bundle',
    path: 'dist/fhir.js',
    import: '*',
    modifyEsbuildConfig: forNode,
    gzip: true,
    limit: '7.2 kB',
  },
  {
    name: 'verifyWebhook in a bundle, without modules of Node',
    path: 'dist/webhooks.js',
    import: '{ verifyWebhook }',
    modifyEsbuildConfig: forAnyRuntime,
    gzip: true,
    limit: '3.3 kB',
  },
  {
    name: 'createWebhookReceiver in a bundle, without modules of Node',
    path: 'dist/webhooks.js',
    import: '{ createWebhookReceiver }',
    modifyEsbuildConfig: forAnyRuntime,
    gzip: true,
    limit: '11.5 kB',
  },
  {
    name: 'createMirror in a bundle, code loaded at import, without the runtime dependencies',
    path: 'dist/mirror.js',
    import: '{ createMirror }',
    ignore: [...DEPENDENCIES, 'pg', '@electric-sql/pglite'],
    modifyEsbuildConfig: loadedAtImport,
    gzip: true,
    limit: '43.6 kB',
  },
  {
    name: 'createMirror in a bundle, with the code that is loaded later',
    path: 'dist/mirror.js',
    import: '{ createMirror }',
    ignore: [...DEPENDENCIES, 'pg', '@electric-sql/pglite'],
    modifyEsbuildConfig: forNode,
    gzip: true,
    limit: '63.2 kB',
  },
  {
    name: 'package on the disk',
    path: ['dist/**', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    disablePlugins: ['@size-limit/esbuild'],
    brotli: false,
    limit: '2.6 MB',
  },
]
