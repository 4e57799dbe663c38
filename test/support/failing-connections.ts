import { Agent, buildConnector } from 'undici'
import { onTestFinished } from 'vitest'

/** Creates a dispatcher whose first connection to `origin` fails before anything is sent. */
export function failingOnceAgent(origin: string, code = 'ECONNREFUSED'): Agent {
  const connect = buildConnector({})
  const { port } = new URL(origin)
  let attempts = 0
  const agent = new Agent({
    connect: (options, callback) => {
      attempts += options.port === port ? 1 : 0
      if (options.port !== port || attempts > 1) return connect(options, callback)
      return setImmediate(() => callback(Object.assign(new Error(`connect ${code}`), { code }), null))
    },
  })
  onTestFinished(() => agent.destroy())
  return agent
}
