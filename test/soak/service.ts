import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Options of a client of the service. */
export interface ServiceReady {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Messages to the service's process. */
export type ServiceOrder =
  /** From now on, this part of the requests gets a fault. */
  | { readonly do: 'start-faults'; readonly share: number }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'stop-faults' | 'revoke' | 'revoke-refresh' | 'rotate-key' | 'audit' | 'stop' }

export interface ServiceReply {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

/** State of the service at the end. */
export interface ServiceAudit {
  readonly referrals: readonly {
    readonly uuid: string
    readonly referenceNumber: string
    readonly deleted: boolean
    /** Names of the metadata fields. */
    readonly metadata: readonly string[]
    readonly resultsUuid: string | null
  }[]
  readonly results: readonly string[]
  readonly webhooks: readonly { readonly id: string; readonly url: string; readonly active: boolean }[]
  readonly providers: readonly { readonly providerNumber: string; readonly name: string }[]
  readonly emails: number
  readonly requests: number
  readonly faults: number
  readonly tokenRequests: number
  readonly refreshes: number
  readonly documents: number
  /** Requests for documents that carried an Authorization header. */
  readonly authorisedDocuments: number
}

const PROGRAM = fileURLToPath(new URL('service-process.ts', import.meta.url))

/** The service in a separate process. */
export class SoakService {
  readonly ready: ServiceReady
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, (reply: ServiceReply) => void>()
  #orders = 0

  private constructor(child: ChildProcess, ready: ServiceReady) {
    this.#process = child
    this.ready = ready
    child.on('message', (reply: ServiceReply) => {
      this.#waiting.get(reply.id)?.(reply)
      this.#waiting.delete(reply.id)
    })
  }

  static async start(seed: number): Promise<SoakService> {
    const child = fork(PROGRAM, [String(seed)], { execArgv: ['--import', 'tsx'] })
    const gone = new AbortController()
    child.once('exit', (code) => gone.abort(new Error(`the service ended with ${code}`)))
    const [{ ready }] = await once(child, 'message', { signal: gone.signal })
    return new SoakService(child, ready)
  }

  /** @throws Error - The order failed, or the process has ended. */
  tell(order: Exclude<ServiceOrder, { do: 'audit' | 'stop' }>): Promise<unknown> {
    return this.#order(order)
  }

  async audit(): Promise<ServiceAudit> {
    return (await this.#order({ do: 'audit' })) as ServiceAudit
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.send({ do: 'stop', id: 0 })
    await ended
  }

  #order(order: ServiceOrder): Promise<unknown> {
    this.#orders += 1
    const id = this.#orders
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ value, error }) =>
        error === undefined ? resolve(value) : reject(new Error(`${order.do}: ${error}`)),
      )
      this.#process.send({ ...order, id }, (failed) => {
        if (failed !== null) reject(failed)
      })
    })
  }
}
