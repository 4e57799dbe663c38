import { redisOrderLedger } from 'pathology-sdk/redis'
import { afterAll, beforeAll, describe } from 'vitest'
import { orderLedgerContract } from '../support/order-ledger-contract.js'
import { withRedis } from '../support/redis.js'
import { REDIS_LIBRARIES, type TestConnection } from './redis-clients.js'

const redis = await withRedis()
afterAll(() => redis?.stop())

describe.skipIf(redis === undefined).each(REDIS_LIBRARIES)(
  'redisOrderLedger with $library',
  ({ library, open }) => {
    let connection: TestConnection

    beforeAll(async () => {
      connection = await open(redis?.url ?? '')
      await redisOrderLedger(connection.client).setup()
    })
    afterAll(() => connection[Symbol.asyncDispose]())

    orderLedgerContract(library, () => redisOrderLedger(connection.client))
  },
)
