import { bigPage, listPage, peerPage, referral, token } from './lib/bodies.mjs'
import { serve } from './lib/serve.mjs'

/** Server of the benchmarks: a separate process that responds from memory as fast as node:http can. */
const one = Buffer.from(JSON.stringify(referral(1)))
const big = Buffer.from(bigPage())
const pages = new Map()

/**
 * @param {string} key
 * @param {() => unknown} make
 */
function cached(key, make) {
  const ready = pages.get(key)
  if (ready !== undefined) return ready
  const body = Buffer.from(JSON.stringify(make()))
  if (pages.size < 2_000) pages.set(key, body)
  return body
}

/** Prefix of the paths whose responses are delayed, as by a network. */
const SLOW = '/slow'
const SLOW_MS = 5

/** @param {URL} url */
function bodyFor(url) {
  const { searchParams } = url
  const pathname = url.pathname.startsWith(SLOW) ? url.pathname.slice(SLOW.length) : url.pathname
  if (pathname.endsWith('/oauth/token')) return cached('token', token)
  if (pathname === '/v1/collection-centres') return big
  if (pathname === '/v1/customers' || pathname === '/v1/files') {
    const after = searchParams.get('starting_after') ?? searchParams.get('after') ?? '0'
    return cached(`peer ${after}`, () => peerPage(Number(after)))
  }
  if (pathname === '/v1/referrals') {
    const cursor = Number(searchParams.get('cursor') ?? 0)
    return cached(`list ${cursor}`, () => listPage(cursor, Number(process.env['PAGES'] ?? 295)))
  }
  return one
}

const base = await serve((url) => {
  const body = bodyFor(new URL(url, 'http://localhost'))
  return url.startsWith(SLOW) ? { body, delayMs: SLOW_MS } : { body }
})
process.stdout.write(`${base}\n`)
