const BAR = 24
const FRAME_MS = 200

/**
 * Shows how far long work has come, on stderr: in a terminal one line that moves, elsewhere a line for each step.
 */
export class Progress {
  #stream = process.stderr
  #startedAt = performance.now()
  #done = 0
  #step = ''
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #whole

  /** @param {number} whole how many steps there will be */
  constructor(whole) {
    this.#whole = whole
  }

  /**
   * Begins a step; the one before it is done.
   *
   * @param {string} text
   */
  step(text) {
    if (this.#step !== '') this.#done = Math.min(this.#whole, this.#done + 1)
    this.#step = text
    if (!this.#stream.isTTY)
      this.#stream.write(`[${this.#done + 1}/${this.#whole}] ${text}, ${this.#seconds()} s\n`)
    else {
      this.#draw()
      this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref()
    }
  }

  /** Ends the last step and takes the moving line away. */
  end() {
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K')
    else this.#stream.write(`done, ${this.#seconds()} s\n`)
  }

  #draw() {
    const full = Math.round((this.#done / this.#whole) * BAR)
    const bar = '█'.repeat(full) + '░'.repeat(BAR - full)
    const line = `${bar} ${this.#done + 1}/${this.#whole} ${this.#step}, ${this.#seconds()} s`
    this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns || 80) - 1)}`)
  }

  #seconds() {
    return Math.round((performance.now() - this.#startedAt) / 1_000)
  }
}
