import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { bundle } from './bundle.js'
import type { FleetAnswer, FleetOrder } from './fleet-member.js'

/** Real processes, each with its own client. */
export interface Fleet extends AsyncDisposable {
  /** Sends every process the same command at the same time, and waits for all results. */
  order(order: FleetOrder): Promise<readonly FleetAnswer[]>
}

const MEMBER = new URL('fleet-member.ts', import.meta.url)

export async function startFleet(size: number): Promise<Fleet> {
  const { pathOf, remove } = await bundle(MEMBER)
  const members = Array.from({ length: size }, () => fork(pathOf(MEMBER), { execArgv: [] }))
  await Promise.all(members.map((member) => answerOf(member)))
  return {
    order: (order) =>
      Promise.all(
        members.map((member) => {
          const answer = answerOf(member)
          member.send(order)
          return answer
        }),
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all(
        members.map((member) => {
          const ended = once(member, 'exit')
          member.disconnect()
          return ended
        }),
      )
      await remove()
    },
  }
}

async function answerOf(member: ChildProcess): Promise<FleetAnswer> {
  const ended = new AbortController()
  const onExit = (code: number | null): void => ended.abort(new Error(`a process ended with ${code}`))
  member.once('exit', onExit)
  try {
    const [answer] = await once(member, 'message', { signal: ended.signal })
    return answer
  } finally {
    member.off('exit', onExit)
  }
}
