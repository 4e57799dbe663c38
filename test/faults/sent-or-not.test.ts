import type { ClientOptions, FetchLike } from 'pathology-sdk'
import { Agent, type Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, page } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const coded = (code: string, facts: object = {}): Error =>
  Object.assign(new Error(`x ${code}`), { code, ...facts })

/** A dispatcher on which every POST of an order fails: before it was started, or after. */
function failingDispatcher(error: Error, when: 'before' | 'after'): Dispatcher {
  const agent = new Agent().compose((dispatch) => (options, handler) => {
    if (options.method !== 'POST' || !String(options.path).endsWith('/v1/referrals'))
      return dispatch(options, handler)
    const controller = { abort: () => undefined, pause: () => undefined, resume: () => undefined } as never
    setImmediate(() => {
      if (when === 'after') handler.onRequestStart?.(controller, {})
      handler.onResponseError?.(controller, error)
    })
    return true
  })
  onTestFinished(() => agent.destroy())
  return agent
}

function failingFetch(error: Error): FetchLike {
  return async (input, init) => {
    if (init.method !== 'POST' || !input.endsWith('/v1/referrals')) return globalThis.fetch(input, init)
    throw new TypeError('fetch failed', { cause: error })
  }
}

async function orderError(options: ClientOptions): Promise<unknown> {
  const service = await ScriptedServer.start()
  service.on('GET /v1/referrals', { json: page('referrals', []) })
  return rejection(
    clientOf(service.origin, { orderRecoveryTimeout: 0, ...options }).referrals.create(order()),
  )
}

const READ = { syscall: 'read' }
const CONNECT = { syscall: 'connect' }

describe("the dispatcher's onRequestStart shows that a request was sent", () => {
  /** Codes, and the reason of the failure after the start of the request. */
  const codes = [
    ['ETIMEDOUT', 'other'],
    ['ECONNREFUSED', 'other'],
    ['UND_ERR_CONNECT_TIMEOUT', 'other'],
    ['UND_ERR_ABORTED', 'other'],
    ['EPROTO', 'tls'],
    ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'tls'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls'],
    ['ECONNRESET', 'reset'],
    ['UND_ERR_SOCKET', 'closed'],
    ['EHOSTUNREACH', 'other'],
    ['ENETUNREACH', 'other'],
    ['EPIPE', 'reset'],
  ] as const

  it.each(codes)(
    "the failure %s after the start of a request leaves an order's outcome unknown, with the reason %s (§4.1)",
    async (code, reason) => {
      const error = await orderError({ dispatcher: failingDispatcher(coded(code), 'after') })
      expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1 })
      // A reason such as `refused` would say that nothing was sent.
      expect(error).toMatchObject({ cause: { name: 'ConnectionError', reason } })
    },
  )

  it.each(codes)('the failure %s before the start of a request shows that nothing was sent', async (code) => {
    const error = await orderError({ dispatcher: failingDispatcher(coded(code), 'before') })
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' })
  })
})

describe('with fetch, a request counts as sent unless the failure certainly came before it', () => {
  it.each([
    ['ETIMEDOUT', READ],
    ['ETIMEDOUT', {}],
    ['ECONNRESET', READ],
    ['EPROTO', { syscall: 'write' }],
    ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', {}],
    ['UND_ERR_ABORTED', {}],
    ['UND_ERR_SOCKET', {}],
    ['SOMETHING_NEW', {}],
  ])("the failure %s %j of fetch leaves an order's outcome unknown (§4.1)", async (code, facts) => {
    const error = await orderError({ fetch: failingFetch(coded(code, facts)) })
    expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1 })
  })

  it.each([
    ['ENOTFOUND', {}],
    ['EAI_AGAIN', {}],
    ['ECONNREFUSED', CONNECT],
    ['ETIMEDOUT', CONNECT],
    ['UND_ERR_CONNECT_TIMEOUT', {}],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', {}],
    ['CERT_HAS_EXPIRED', {}],
    ['ERR_TLS_CERT_ALTNAME_INVALID', {}],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', {}],
  ])('the failure %s %j of fetch shows that nothing was sent', async (code, facts) => {
    const error = await orderError({ fetch: failingFetch(coded(code, facts)) })
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' })
  })

  it('any value that fetch throws leaves the outcome of an order unknown (§4.1)', async () => {
    for (const odd of [undefined, null, 'text', 7, {}, Object.create(null)]) {
      const fetch: FetchLike = async (input, init) => {
        if (init.method === 'POST' && input.endsWith('/v1/referrals')) throw odd
        return globalThis.fetch(input, init)
      }
      expect(await orderError({ fetch })).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
    }
  })
})
