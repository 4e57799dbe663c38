import type { Dispatcher } from 'undici'
import { ignore } from '../../common/ignore.js'

import { type Exchange, unwatchedFailure, WireFailure, type WireStream } from './transport.js'

/** Opens an exchange whose body the caller reads piece by piece. */
export async function openStream(dispatcher: Dispatcher, exchange: Exchange): Promise<WireStream> {
  const controller = new AbortController()
  const stop = exchange.deadline.onEnd((ended) => controller.abort(ended))
  const { origin, path, method, headers } = exchange
  const request = dispatcher.request({
    origin,
    path,
    method,
    headers: [...headers],
    signal: controller.signal,
  })
  try {
    const answer = await exchange.deadline.race(request)
    const body = read(answer.body, answer.statusCode, stop)
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body,
      discard: () => discard(answer.body, stop),
    }
  } catch (error) {
    stop()
    request.then((late) => discard(late.body, stop)).catch(ignore)
    throw streamFailure(error)
  }
}

function discard(body: Dispatcher.ResponseData['body'], stop: () => void): void {
  stop()
  body.on('error', ignore).destroy()
}

async function* read(
  body: Dispatcher.ResponseData['body'],
  status: number,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk
  } catch (error) {
    throw streamFailure(error, status)
  } finally {
    discard(body, stop)
  }
}

function streamFailure(error: unknown, status?: number): WireFailure {
  if (error instanceof WireFailure) return error
  if (status !== undefined) return new WireFailure({ sent: true, reason: 'truncated', status }, error)
  return unwatchedFailure(error)
}
