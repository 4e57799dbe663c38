import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from './verdict.js'

const MAX_WAIT_MS = 3_000

/** Watches the process of a soak: unhandled rejections, warnings, and open resources. */
export class Surroundings {
  readonly #before = process.getActiveResourcesInfo()
  readonly #seen: string[] = []

  constructor() {
    process.on('unhandledRejection', this.#onRejection)
    process.on('warning', this.#onWarning)
  }

  /** Problems after everything is closed. Sockets take a moment to close. */
  async findings(): Promise<Finding[]> {
    const until = performance.now() + MAX_WAIT_MS
    while (this.#left().length > 0 && performance.now() < until) await sleep(20)
    const findings = [
      { rule: 'no socket, timer or other resource is left', broken: this.#left() },
      { rule: 'no rejection is unhandled, and Node warns of nothing', broken: [...this.#seen] },
    ]
    process.off('unhandledRejection', this.#onRejection)
    process.off('warning', this.#onWarning)
    return findings
  }

  #left(): string[] {
    const before = [...this.#before]
    return process.getActiveResourcesInfo().filter((resource) => {
      const index = before.indexOf(resource)
      if (index >= 0) before.splice(index, 1)
      return index < 0
    })
  }

  readonly #onRejection = (reason: unknown): void => {
    this.#seen.push(`unhandled: ${String(reason)}`)
  }

  readonly #onWarning = (warning: Error): void => {
    if (warning.name !== 'ExperimentalWarning') this.#seen.push(String(warning))
  }
}
