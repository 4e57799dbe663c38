import { Mirror } from './mirror.js'
import type { MirrorOptions } from './options.js'
import { resolveMirrorOptions } from './resolve-options.js'
import type { PointHook } from './work/points.js'

/**
 * Creates a mirror. It opens nothing until it is used.
 *
 * @throws {@link ConfigurationError} with the option and its rule.
 *
 * @example
 * ```ts
 * const mirror = createMirror({
 *   database: new pg.Pool(),
 *   client: new PathologyClient(),
 *   secret: process.env.PATHOLOGY_WEBHOOK_SECRET,
 *   on: {
 *     result: async ({ uuid }, { tx }) => {
 *       await tx.query('INSERT INTO inbox_items (result_uuid) VALUES ($1)', [uuid])
 *     },
 *   },
 * })
 * await mirror.start()
 * http.createServer(mirror.receiver.node).listen(8080)
 * ```
 */
export function createMirror(options: MirrorOptions): Mirror {
  return assembleMirror(options)
}

/**
 * Creates a mirror for a test of its steps.
 *
 * @internal
 */
export function assembleMirror(options: MirrorOptions, point: PointHook = () => undefined): Mirror {
  return new Mirror(resolveMirrorOptions(options), point)
}
