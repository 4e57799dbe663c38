import { describe, expect, it } from 'vitest'

import { authorised, startFake } from '../support.js'

describe('a request limit (§8)', () => {
  it('requests above a limit get 429 with Retry-After, until the window ends on the fake clock (§8)', async () => {
    const fake = await startFake()
    const headers = await authorised(fake)
    fake.faults.quota({ limit: 2, perMs: 60_000 })
    const ask = async () => {
      const response = await fetch(`${fake.baseUrl}/v1/vendors`, { headers })
      await response.arrayBuffer()
      return [response.status, response.headers.get('retry-after')]
    }
    expect(await ask()).toEqual([200, null])
    expect(await ask()).toEqual([200, null])
    await fake.clock.advance({ seconds: 15 })
    expect(await ask()).toEqual([429, '45'])
    await fake.clock.advance({ seconds: 45 })
    expect(await ask()).toEqual([200, null])
    fake.faults.quota(null)
    for (let count = 0; count < 5; count += 1) expect(await ask()).toEqual([200, null])
  })
})
