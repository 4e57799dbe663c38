import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PathologyClient } from 'pathology-sdk'
import type { Point } from '../../../src/mirror/core/context.js'
import { assembleMirror } from '../../../src/mirror/mirror.js'
import { handledIn } from './handled.js'

/** Input of a machine of the kill matrix: JSON in its first argument. */
export interface MachineOrder {
  /** URL of a Postgres server, or a folder for PGlite. */
  readonly database: string
  readonly schema: string
  readonly secret: string
  readonly client: {
    readonly baseUrl: string
    readonly authUrl: string
    readonly clientId: string
    readonly clientSecret: string
  }
  /** Probability with which it dies at each of the points; 0 for a machine that lives. */
  readonly probability: number
  /** Points at which it dies. */
  readonly points: readonly Point[]
  readonly lease: number
  /** Whether it sweeps. Default: `true`. */
  readonly isSweeping?: boolean | undefined
}

/** A message of a machine to its parent. */
export type MachineMessage = { readonly port: number } | { readonly dying: Point }

const order: MachineOrder = JSON.parse(process.argv[2] ?? '{}')
const { database, schema, secret, probability, lease } = order

/** Ends at once without any clean-up. The parent already knows the point. */
function die(point: Point): Promise<never> {
  process.send?.({ dying: point } satisfies MachineMessage, () => process.kill(process.pid, 'SIGKILL'))
  return new Promise(() => undefined)
}

const mirror = assembleMirror(
  {
    database,
    schema,
    secret,
    client: new PathologyClient({ ...order.client, maxRetries: 0 }),
    lease,
    poll: 50,
    sweep: {
      recent: order.isSweeping === false ? false : 2_000,
      open: false,
      everything: false,
      centres: false,
    },
    on: handledIn(schema),
  },
  (point) => (order.points.includes(point) && Math.random() < probability ? die(point) : undefined),
)

const server = createServer(mirror.receiver.node)
await mirror.start()
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port } satisfies MachineMessage)
})
process.on('message', () => void stop())
process.on('disconnect', () => process.exit(0))

async function stop(): Promise<void> {
  server.closeAllConnections()
  server.close()
  await mirror.stop()
  process.exit(0)
}
