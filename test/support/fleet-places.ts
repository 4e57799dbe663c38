import type { TokenLock, TokenStore } from 'pathology-sdk'
import { postgresTokenLock, postgresTokenStore } from 'pathology-sdk/postgres'
import { redisTokenLock, redisTokenStore } from 'pathology-sdk/redis'
import pg from 'pg'
import { createClient } from 'redis'

/** Stores in which the processes of a fleet share tokens. */
export interface SharedPlace {
  readonly kind: 'redis' | 'postgres'
  /** URL of the server. */
  readonly at: string
  readonly lock: boolean
}

interface Opened {
  readonly tokenStore: TokenStore
  readonly tokenLock: TokenLock | undefined
  close(): Promise<unknown>
}

const OPENERS: Readonly<Record<SharedPlace['kind'], (at: string) => Promise<Opened>>> = {
  async redis(at) {
    const redis = await createClient({ url: at }).connect()
    return {
      tokenStore: redisTokenStore(redis),
      tokenLock: redisTokenLock(redis),
      close: () => redis.close(),
    }
  },
  async postgres(at) {
    const pool = new pg.Pool({ connectionString: at, max: 2 })
    return {
      tokenStore: postgresTokenStore(pool),
      tokenLock: postgresTokenLock(pool),
      close: () => pool.end(),
    }
  },
}

export async function openPlace({ kind, at, lock }: SharedPlace): Promise<Opened> {
  const opened = await OPENERS[kind](at)
  return lock ? opened : { ...opened, tokenLock: undefined }
}
