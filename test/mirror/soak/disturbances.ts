import type { RunningPostgres } from '../../support/postgres.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import type { Fleet } from './fleet.js'

/**
 * Disturbances in addition to kills: processes that stop for longer than their lease, a server that crashes,
 * a cut network.
 */
export interface Disturbances {
  /** URL of the server through the proxy. */
  readonly url: string
  /** Called each second. Causes the disturbance of that second, if there is one. */
  readonly disturb: (fleet: Fleet, second: number) => Promise<void>
  readonly end: () => Promise<void>
}

/** Seconds of one round. */
const ROUND = 12

/** A stopped process resumes after its lease has expired. By then its work was taken over. */
const STOPPED_MS = 2_500

/** Prepares the disturbances of a server and its machines. Each call of `disturb` causes at most one. */
export async function startDisturbances(postgres: RunningPostgres): Promise<Disturbances> {
  const proxy = await startTcpProxy(postgres.url)
  const stopped = new Set<number>()
  const resume = (pid: number): void => {
    stopped.delete(pid)
    signal(pid, 'SIGCONT')
  }
  return {
    url: proxy.url,
    disturb: async (fleet, second) => {
      switch (second % ROUND) {
        case 1: {
          const [pid] = fleet.pids
          if (pid === undefined) return
          stopped.add(pid)
          signal(pid, 'SIGSTOP')
          setTimeout(() => resume(pid), STOPPED_MS)
          return
        }
        case 5:
          return proxy.holdAnswers()
        case 6:
        case 8:
          return proxy.restore()
        case 7:
          return proxy.cut()
        case 10:
          // As pg_ctl stop -m immediate: nothing is written, and the server recovers from its log.
          return postgres.restart()
        default:
          return
      }
    },
    end: async () => {
      for (const pid of stopped) resume(pid)
      proxy.restore()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended already.
  }
}
