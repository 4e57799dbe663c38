import { compression } from './suites/compression.mjs'
import { fake } from './suites/fake.mjs'
import { checking, lists } from './suites/lists.mjs'
import { peakMemory } from './suites/peak-memory.mjs'
import { requests } from './suites/requests.mjs'
import { sizes } from './suites/sizes.mjs'
import { startUp } from './suites/start-up.mjs'
import { waiting } from './suites/waiting.mjs'
import { webhooks } from './suites/webhooks.mjs'

const suites = {
  requests,
  lists,
  compression,
  waiting,
  checking,
  webhooks,
  startUp,
  peakMemory,
  sizes,
  fake,
}

const [name, base] = process.argv.slice(2)
const suite = suites[/** @type {keyof typeof suites} */ (name)]
process.stdout.write(`${JSON.stringify(await suite(base ?? ''))}\n`)
process.exit(0)
