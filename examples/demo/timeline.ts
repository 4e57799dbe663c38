import { styleText } from 'node:util'

/** Prints what happens, as it happens, each line with the time since the start. */
export class Timeline {
  readonly #out: NodeJS.WriteStream
  readonly #start = performance.now()

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  /** Something this program did. */
  note(text: string): void {
    this.#line('●', text)
  }

  /** A webhook that arrived. */
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
