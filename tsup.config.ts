import { transform } from 'esbuild'
import { defineConfig, type Options } from 'tsup'

/** Bundled by their users, so there are ES modules of them as well. */
const bundledEntries = {
  index: 'src/client/index.ts',
  forms: 'src/forms/index.ts',
  display: 'src/display/index.ts',
  fhir: 'src/fhir/index.ts',
  webhooks: 'src/webhooks/index.ts',
  redis: 'src/stores/redis.ts',
  postgres: 'src/stores/postgres.ts',
  mirror: 'src/mirror/index.ts',
}

const libraryEntries = { ...bundledEntries, testing: 'src/testing/index.ts' }

/** Programs of the package: its bins. */
const programEntries = { pathology: 'src/cli/main.ts', 'pathology-fake': 'src/cli/main-fake.ts' }

const shared: Options = {
  // Chunks common to several entries exist once, so that `instanceof` holds across entries.
  format: 'esm',
  splitting: true,
  removeNodeProtocol: false,
  platform: 'node',
  target: 'node20.18',
  sourcemap: false,
  // Names of functions and classes stay, so that stack traces can be read; local variables go.
  minify: 'terser',
  terserOptions: {
    module: false,
    toplevel: false,
    ecma: 2020,
    compress: { keep_fnames: true, keep_classnames: true, inline: false, reduce_funcs: false },
    mangle: { keep_fnames: true, keep_classnames: true },
    // Node prints the source line that an uncaught error came from: that must not be the whole file.
    format: { comments: false, preserve_annotations: true, max_line_len: 200 },
  },
  esbuildOptions(options) {
    options.minifySyntax = true
    options.legalComments = 'none'
  },
}

/**
 * tsup's own CommonJS splitting turns `import()` of packages that ship only ES modules into a `require()` that Node
 * releases without `require(esm)` refuse. Here those packages are bundled, the ES chunks are written as CommonJS one by
 * one, and every `import()` becomes a lazy `require()`: that runs also where `import()` does not, in Jest.
 */
const commonJsChunks = {
  name: 'common-js-chunks',
  async renderChunk(code: string) {
    const result = await transform(code, {
      format: 'cjs',
      platform: 'node',
      target: 'node20.18',
      supported: { 'dynamic-import': false },
      minifyWhitespace: true,
      minifySyntax: true,
    })
    return { code: result.code }
  },
}

/** Declarations are put together from those that `scripts/declarations.ts` wrote. */
function declarationsOf(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, path]) => [
      name,
      path.replace(/^src/, '.declarations').replace(/\.ts$/, '.d.ts'),
    ]),
  )
}

export default defineConfig([
  { ...shared, entry: bundledEntries },
  {
    ...shared,
    entry: { ...libraryEntries, ...programEntries },
    outExtension: () => ({ js: '.cjs' }),
    noExternal: [/^jose/, 'p-retry', 'is-network-error', 'commander', 'papaparse'],
    external: ['ioredis', 'redis'],
    plugins: [commonJsChunks],
  },
  { entry: declarationsOf(libraryEntries), format: 'cjs', dts: { only: true } },
])
