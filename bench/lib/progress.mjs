const BAR = 24
const FRAME_MS = 200

/**
 * Shows the progress of long work on stderr: one line that changes in a terminal, otherwise a line for each step.
 */
export class Progress {
  #stream = process.stderr
  #startedAt = performance.now()
  #done = 0
  #step = ''
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #total

  /** @param {number} total number of steps */
  constructor(total) {
    this.#total = total
  }

  /**
   * Begins a step and ends the one before it.
   *
   * @param {string} text
   */
  step(text) {
    if (this.#step !== '') this.#done = Math.min(this.#total, this.#done + 1)
    this.#step = text
    if (!this.#stream.isTTY)
      this.#stream.write(`[${this.#done + 1}/${this.#total}] ${text}, ${this.#seconds()} s\n`)
    else {
      this.#draw()
      this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref()
    }
  }

  /** Ends the last step. Clears its line in a terminal; otherwise writes the total time. */
  end() {
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K')
    else this.#stream.write(`done, ${this.#seconds()} s\n`)
  }

  #draw() {
    const full = Math.round((this.#done / this.#total) * BAR)
    const bar = '█'.repeat(full) + '░'.repeat(BAR - full)
    const line = `${bar} ${this.#done + 1}/${this.#total} ${this.#step}, ${this.#seconds()} s`
    this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns || 80) - 1)}`)
  }

  #seconds() {
    return Math.round((performance.now() - this.#startedAt) / 1_000)
  }
}
