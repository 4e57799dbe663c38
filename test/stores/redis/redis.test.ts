import { ConfigurationError } from 'pathology-sdk'
import {
  type NodeRedisClient,
  redisDedupeStore,
  redisOrderLedger,
  redisTokenLock,
  redisTokenStore,
} from 'pathology-sdk/redis'
import { describe, expect, it } from 'vitest'

const client: NodeRedisClient = { eval: async () => 1 }

describe.each([
  ['redisDedupeStore', redisDedupeStore],
  ['redisTokenStore', redisTokenStore],
  ['redisTokenLock', redisTokenLock],
  ['redisOrderLedger', redisOrderLedger],
])('%s', (name, make) => {
  it(`${name} rejects a value that is not a client`, () => {
    // The types forbid it; plain JavaScript does not.
    expect(() => make({} as NodeRedisClient)).toThrow(/ioredis or node-redis/)
  })

  it(`${name} rejects an unknown option and a prefix that is not a text`, () => {
    expect(() => make(client, JSON.parse('{ "Prefix": "a:" }'))).toThrow('did you mean prefix?')
    expect(() => make(client, JSON.parse('{ "prefix": 1 }'))).toThrow(ConfigurationError)
  })

  it(`prune of ${name} rejects a time that is not a date`, async () => {
    const store = make(client)
    for (const wrong of ['null', '{}', '{ "before": "2026-01-01" }']) {
      await expect(store.prune(JSON.parse(wrong))).rejects.toThrow(`${name}: prune requires { before }`)
    }
    await expect(store.prune({ before: new Date(Number.NaN) })).rejects.toThrow(ConfigurationError)
  })
})
