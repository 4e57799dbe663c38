const { TestEnvironment } = require('jest-environment-jsdom')

// jsdom has others: its timers have no unref(), Node's fetch refuses its signals, and its crypto has no subtle.
const NODE = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'AbortController',
  'AbortSignal',
  'crypto',
]

/** jsdom with the globals of Node that jsdom does not have, such as fetch and TextDecoder. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup()
    const missing = Object.getOwnPropertyNames(globalThis).filter((name) => !(name in this.global))
    for (const name of [...missing, ...NODE])
      Object.defineProperty(this.global, name, {
        value: globalThis[name],
        configurable: true,
        writable: true,
      })
  }
}
