import { Octokit } from '@octokit/core'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { Pool } from 'undici'
import { PathologyClient } from '../../dist/index.js'

export const UUID = '0b0e8f1c-1111-4222-8333-000000000001'
export const PATH = `/v1/referrals/${UUID}`

const headers = {
  authorization: `Bearer ${'t'.repeat(700)}`,
  accept: 'application/vnd.svc.v1.1.0+json',
  'user-agent': 'bench',
}
const headerList = Object.entries(headers).flat()

/**
 * Creates the client of each contender for one server.
 * @param {string} base
 */
export function clients(base) {
  const { hostname, port } = new URL(base)
  return {
    pool: new Pool(base, { connections: 64, pipelining: 1 }),
    stripe: new Stripe('sk_test_bench', {
      host: hostname,
      port: Number(port),
      protocol: 'http',
      telemetry: false,
      maxNetworkRetries: 0,
    }),
    openai: new OpenAI({ apiKey: 'bench', baseURL: `${base}/v1`, maxRetries: 0 }),
    octokit: new Octokit({ auth: 'bench', baseUrl: base }),
    sdk: new PathologyClient({
      baseUrl: base,
      authUrl: base,
      clientId: 'bench',
      clientSecret: 'bench',
      maxSockets: 64,
    }),
  }
}

/**
 * @param {Pool} pool
 * @param {string} path
 */
export async function rawGet(pool, path) {
  const { body } = await pool.request({ path, method: 'GET', headers })
  return JSON.parse(await body.text())
}

function ignore() {
  // This contender needs only the body and the error.
}

/**
 * @param {Pool} pool
 * @param {string} path
 */
export function rawDispatch(pool, path) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    pool.dispatch(
      { path, method: 'GET', headers: headerList },
      {
        onRequestStart: ignore,
        onResponseStart: ignore,
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(JSON.parse(Buffer.concat(chunks).toString())),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

/**
 * @param {string} base
 * @param {string} path
 */
export async function fetchGet(base, path) {
  return (await fetch(`${base}${path}`, { headers })).json()
}
