import { styleText } from 'node:util'

/** Printer of the demo's steps, each with the time since the start. */
export class Timeline {
  readonly #out: NodeJS.WriteStream
  readonly #start = performance.now()

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  /** Prints a step of this program. */
  note(text: string): void {
    this.#line('●', text)
  }

  /** Prints a received webhook event. */
  event(name: string, text: string): void {
    this.#line('⇐', `${this.#bold(name)}  ${text}`)
  }

  #line(mark: string, text: string): void {
    const seconds = ((performance.now() - this.#start) / 1000).toFixed(2).padStart(6)
    this.#out.write(`${seconds} s  ${mark} ${text}\n`)
  }

  #bold(text: string): string {
    return this.#out.isTTY ? styleText('bold', text) : text
  }
}
