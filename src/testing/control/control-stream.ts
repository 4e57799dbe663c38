import type { ServerResponse } from 'node:http'
import { type RealTimer, startTimer } from '../server/runtime.js'
import type { ControlTarget } from './control-action.js'

/** At most one event in this long, so that a busy fake does not drown its console. */
const QUIET_MS = 100

/** Writes a server-sent event whenever the fake may have changed, and one at the start. */
export function streamChanges({ fake, core }: ControlTarget, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  let number = 0
  let timer: RealTimer | undefined
  const write = (): void => {
    timer = undefined
    number += 1
    const data = JSON.stringify({ number, now: fake.clock.iso(), requests: fake.requests.count })
    response.write(`event: change\nid: ${number}\ndata: ${data}\n\n`)
  }
  const end = core.subscribe(() => {
    timer ??= startTimer(write, QUIET_MS, false)
  })
  response.once('close', () => {
    end()
    timer?.cancel()
  })
  write()
}
