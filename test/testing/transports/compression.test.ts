import { gunzipSync } from 'node:zlib'
import { PathologyClient } from 'pathology-sdk'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'

import { authorised, createFake, startFake } from '../support.js'

const PATH = '/v1/tests'

/** Content encoding of a response over HTTP. undici's `request` does not decode. */
async function encoding(url: string, headers: Record<string, string>, accepted: string) {
  const response = await request(url, { headers: { ...headers, 'accept-encoding': accepted } })
  await response.body.dump()
  return response.headers['content-encoding']
}

describe('compression by the fake', () => {
  it('JSON from 1 KB is sent in gzip when the client accepts it', async () => {
    const fake = await startFake()
    const headers = await authorised(fake)
    const url = `${fake.baseUrl}${PATH}`
    for (const accepted of ['gzip', 'br, gzip;q=0.5', 'GZIP', 'x-gzip', 'deflate,gzip']) {
      expect(await encoding(url, headers, accepted), accepted).toBe('gzip')
    }
    for (const accepted of ['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000, br', 'nogzip', 'gzipped']) {
      expect(await encoding(url, headers, accepted), accepted).toBeUndefined()
    }
    expect(await encoding(`${fake.baseUrl}/v1/tests/none`, headers, 'gzip')).toBeUndefined()
  })

  it('with compression: false nothing is sent in gzip', async () => {
    const fake = await startFake({ compression: false })
    expect(await encoding(`${fake.baseUrl}${PATH}`, await authorised(fake), 'gzip')).toBeUndefined()
  })

  it('a fetch in this process returns decoded bodies, the server compressed ones', async () => {
    const fake = await startFake()
    const url = `${fake.baseUrl}${PATH}`
    const headers = { ...(await authorised(fake)), 'accept-encoding': 'gzip' }
    const fetched = await fake.fetch(url, { headers })
    expect(fetched.headers.get('content-encoding')).toBeNull()
    const served = await request(url, { headers })
    expect(served.headers['content-encoding']).toBe('gzip')
    const bytes = Buffer.from(await served.body.arrayBuffer())
    expect(Number(served.headers['content-length'])).toBe(bytes.byteLength)
    expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(await fetched.json())
  })

  it('the header content-encoding of a fault reaches a client that accepts gzip', async () => {
    // If the fake's clock were behind the client's, tokens would count as expired at once.
    const [overHttp, inProcess] = [
      await startFake({ startTime: undefined }),
      createFake({ startTime: undefined }),
    ]
    for (const fake of [overHttp, inProcess]) {
      await using client = new PathologyClient(fake.clientOptions())
      fake.faults.next('GET /v1/tests', { headers: { 'content-encoding': 'br' } })
      await expect(client.tests.list().firstPage()).rejects.toMatchObject({ reason: 'encoding' })
    }
  })

  it('the header content-length of a fault reaches a client that accepts gzip over HTTP', async () => {
    const fake = await startFake({ startTime: undefined })
    await using client = new PathologyClient(fake.clientOptions())
    fake.faults.next('GET /v1/tests', { headers: { 'content-length': '99999999999' } })
    await expect(client.tests.list().firstPage()).rejects.toMatchObject({ reason: 'too-large' })
  })

  it('the header vary of a fault stays in a compressed response', async () => {
    const fake = await startFake()
    const headers = { ...(await authorised(fake)), 'accept-encoding': 'gzip' }
    fake.faults.next('GET /v1/tests', { headers: { vary: 'origin' } })
    const response = await request(`${fake.baseUrl}${PATH}`, { headers })
    await response.body.dump()
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'origin, accept-encoding' })
  })
})
