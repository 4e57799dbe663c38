import { createRequire } from 'node:module'

/**
 * `require` as a module of this package has it: for what must load synchronously and only when asked for. The
 * CommonJS build has no `import.meta`, and a `__filename` in its place.
 */
export const requireFromHere: NodeJS.Require = createRequire(import.meta.url ?? __filename)
