import { type ChannelListener, channel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { DIAGNOSTICS_CHANNEL, type Logger } from 'pathology-sdk'

const CHANNELS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) =>
  channel(`tracing:${DIAGNOSTICS_CHANNEL}:${name}`),
)

/** Collects the output of the SDK besides its results: log lines and diagnostics events. */
export class Sinks {
  readonly lines: string[] = []
  /** A logger of every level. */
  readonly logger: Required<Logger>
  readonly #listener: ChannelListener

  constructor() {
    const log = (...words: unknown[]): void => void this.lines.push(inspect(words, { depth: 10 }))
    this.logger = { debug: log, info: log, warn: log, error: log }
    this.#listener = (event) => log(event, JSON.stringify(event))
    for (const each of CHANNELS) each.subscribe(this.#listener)
  }

  close(): void {
    for (const each of CHANNELS) each.unsubscribe(this.#listener)
  }
}
