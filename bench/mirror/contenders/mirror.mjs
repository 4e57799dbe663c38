import { createMirror } from '../../../dist/mirror.js'

/** The comparison does not include sweeps. */
const NO_SWEEPS = /** @type {const} */ ({ recent: false, open: false, everything: false, centres: false })

/**
 * Creates the mirror with the same handler. It has no PDFs and no sweeps, because the hand-written jobs have none.
 * @type {import('../machine.mjs').CreateContender}
 */
export async function createMirrorContender({
  database,
  client,
  secret,
  handler,
  concurrency,
  mirror: options = {},
}) {
  const mirror = createMirror({
    database,
    ...{ client, secret, concurrency, documents: 'none', sweep: NO_SWEEPS },
    logger: { warn: (line) => console.error(line), error: (line) => console.error(line) },
    ...(handler && { on: { '*': ({ uuid }, { tx }) => handler(tx, uuid) } }),
    ...options,
  })
  return {
    receive: async (body, headers) => {
      const { status } = await mirror.receiver.receive({ body, headers })
      if (status !== 200) throw new Error(`the mirror responded with ${status}`)
    },
    node: mirror.receiver.node,
    start: () => mirror.start(),
    stop: () => mirror.stop(),
    mirror,
  }
}
