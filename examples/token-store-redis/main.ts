import { withRedis } from '../../test/support/redis.js'
import { runWorkers } from '../support/workers.js'

// npx tsx examples/token-store-redis/main.ts
// Uses the server of REDIS_URL. Without it, starts its own server if redis-server is installed.
const given = process.env['REDIS_URL']
await using own = given === undefined ? await withRedis() : undefined
const url = given ?? own?.url
if (url !== undefined) await runWorkers(new URL('worker.ts', import.meta.url), { REDIS_URL: url })
