import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Dice } from '../dice.js'
import { CALL_HEADER } from './protocol.js'

/**
 * Shares of the orders whose response is lost at once, whose response is lost at the end, and that are
 * rejected with 429.
 */
const LOST_AT_ONCE = 0.1
const LOST_AT_THE_END = 0.1
const REJECTED = 0.03

/** Headers of one connection, which a proxy does not forward. */
const OF_CONNECTION = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'expect',
])

/** Action of the front for an order. */
type Fate = 'answered' | 'lost at once' | 'lost at the end' | 'rejected'

/** A front of the service that delays orders and loses responses. The order is placed anyway. */
export class ServiceFront implements AsyncDisposable {
  readonly #target: string
  readonly #dice: Dice
  readonly #slowestMs: number
  readonly #agent = new Agent()
  readonly #server = createServer((incoming, response) => void this.#serve(incoming, response))
  /** Orders that arrived, by call. */
  readonly sendings = new Map<string, number>()
  #isUndisturbed = false
  #inProgress = 0

  private constructor(target: string, slowestMs: number, dice: Dice) {
    this.#target = target
    this.#slowestMs = slowestMs
    this.#dice = dice
  }

  /** @param slowestMs - Longest time until an order appears. */
  static async start(target: string, slowestMs: number, dice: Dice): Promise<ServiceFront> {
    const front = new ServiceFront(target, slowestMs, dice)
    front.#server.listen(0, '127.0.0.1')
    await once(front.#server, 'listening')
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /**
   * From now on, orders are placed at once and get their response. Resolves when no earlier order is in
   * progress.
   */
  async stopDelays(): Promise<void> {
    this.#isUndisturbed = true
    while (this.#inProgress > 0) await sleep(50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await this.#agent.close()
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const isOrder = incoming.method === 'POST' && incoming.url === '/v1/referrals'
    const body = Buffer.concat(await incoming.toArray())
    try {
      if (isOrder) await this.#order(incoming, body, response)
      else await this.#forward(incoming, body, response)
    } catch {
      response.destroy()
    }
  }

  async #order(incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const call = String(incoming.headers[CALL_HEADER])
    const fate = this.#fate()
    if (fate === 'rejected') {
      response.writeHead(429, { 'retry-after': '1' }).end()
      return
    }
    this.sendings.set(call, (this.sendings.get(call) ?? 0) + 1)
    this.#inProgress += 1
    try {
      if (fate === 'lost at once') response.destroy()
      if (!this.#isUndisturbed) await sleep(this.#dice.below(this.#slowestMs))
      await this.#forward(incoming, body, response, fate !== 'answered')
    } finally {
      this.#inProgress -= 1
    }
  }

  #fate(): Fate {
    if (this.#isUndisturbed) return 'answered'
    if (this.#dice.chance(REJECTED)) return 'rejected'
    if (this.#dice.chance(LOST_AT_ONCE)) return 'lost at once'
    return this.#dice.chance(LOST_AT_THE_END) ? 'lost at the end' : 'answered'
  }

  async #forward(
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    isLost = false,
  ): Promise<void> {
    const headers = Object.entries(incoming.headers).filter(
      ([name]) => !OF_CONNECTION.has(name) && name !== CALL_HEADER,
    )
    const answer = await request(`${this.#target}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
      body: body.length === 0 ? null : body,
      dispatcher: this.#agent,
    })
    const content = Buffer.from(await answer.body.arrayBuffer())
    if (isLost) {
      response.destroy()
      return
    }
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !OF_CONNECTION.has(name)) response.setHeader(name, value)
    response.writeHead(answer.statusCode).end(content)
  }
}
