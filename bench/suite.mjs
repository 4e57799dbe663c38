import { compression } from './suites/compression.mjs'
import { fake } from './suites/fake.mjs'
import { checking, lists } from './suites/lists.mjs'
import { memory } from './suites/memory.mjs'
import { peakMemory, startUp } from './suites/processes.mjs'
import { requests } from './suites/requests.mjs'
import { sizes } from './suites/sizes.mjs'
import { waiting } from './suites/waiting.mjs'
import { webhooks } from './suites/webhooks.mjs'

const reads = { requests, lists, compression, waiting, memory, peakMemory, startUp }
const suites = { ...reads, checking, webhooks, sizes, fake }

const [name, base] = process.argv.slice(2)
const suite = suites[/** @type {keyof typeof suites} */ (name)]
process.stdout.write(`${JSON.stringify(await suite(base ?? ''))}\n`)
process.exit(0)
