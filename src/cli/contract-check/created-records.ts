import { isFields } from '../../contract/check.js'
import type { Endpoint, ListEndpoint } from '../../contract/endpoint.js'
import type { Refusal } from '../../testing/rules/rule.js'
import type { RecordContext } from './records.js'
import type { CheckResponse, Send } from './requester.js'

type Fields = Readonly<Record<string, unknown>>

export interface WriteContext extends RecordContext {
  /** UUID of this run. Each record of the run contains this UUID, except one from an order without metadata. */
  readonly run: string
  readonly refusals: readonly Refusal[]
  /** Maximum wait for a referral's PDF, in milliseconds. */
  readonly pdfTimeoutMs: number
  /** Receives a message for each record of the check that may still exist. */
  readonly onWarning: (message: string) => void
}

/** Kind of the records that a check creates. */
export interface RecordKind {
  readonly list: ListEndpoint
  readonly remove: Endpoint
  /** Field with the identifier. */
  readonly idField: string
  /** Returns `true` for a record that the run created and that is not deleted. */
  readonly isOfRun: (record: Fields) => boolean
  /** Warning that a record may exist which the check did not find. */
  readonly lost: string
  /** Warning that a record could not be deleted. */
  readonly left: (id: string) => string
}

/** Records that a check has created and not yet deleted, including those whose response was lost. */
export class CreatedRecords {
  /** `true` once the service has created a record, or may have created one although its response was a 5xx. */
  mayHaveCreated = false
  readonly #context: WriteContext
  readonly #kind: RecordKind
  readonly #ids = new Set<string>()
  /** Number of requests that may have created a record whose id is unknown. */
  #unknown = 0

  constructor(context: WriteContext, kind: RecordKind) {
    this.#context = context
    this.#kind = kind
  }

  /** Sends a request that may create a record, and adds the ids of the records that it created. */
  readonly send: Send = async (endpoint, content): Promise<CheckResponse> => {
    const { requester, signal } = this.#context
    signal.throwIfAborted()
    this.#unknown += 1
    const response = await requester.send(endpoint, content)
    const { status, json } = response
    const isSuccess = status < 300
    if (isSuccess || status >= 500) this.mayHaveCreated = true
    if (isSuccess) for (const id of this.#idsOf(recordsIn(json))) this.#ids.add(id)
    if (isSuccess ? json !== undefined : status < 500) this.#unknown -= 1
    return response
  }

  async delete(id: string): Promise<CheckResponse> {
    const response = await this.#context.requester.send(this.#kind.remove, { id, isCleanUp: true })
    if (response.status < 300) this.#ids.delete(id)
    return response
  }

  /** Deletes every record, and warns of each that may still exist. */
  async cleanUp(): Promise<void> {
    const { onWarning } = this.#context
    if (!(await this.#addLost())) onWarning(this.#kind.lost)
    for (const id of this.#ids) {
      await this.delete(id).catch(() => undefined)
      if (this.#ids.has(id)) onWarning(this.#kind.left(id))
    }
  }

  /**
   * Searches the newest 20 records for records of this run whose ids are unknown, and adds their ids. Returns `false` if
   * it finds fewer of them than there were requests without a usable response.
   */
  async #addLost(): Promise<boolean> {
    if (this.#unknown === 0) return true
    const { list, isOfRun } = this.#kind
    const content = { query: { sort: 'desc', count: 20 }, isCleanUp: true }
    const page = await this.#context.requester.send(list, content).catch(() => undefined)
    const records = isFields(page?.json) ? recordsIn(page.json[list.response.key]) : []
    const lost = this.#idsOf(records.filter(isOfRun)).filter((id) => !this.#ids.has(id))
    for (const id of lost) this.#ids.add(id)
    return lost.length >= this.#unknown
  }

  #idsOf(records: readonly Fields[]): string[] {
    return records.map((record) => record[this.#kind.idField]).filter((id) => typeof id === 'string')
  }
}

/** Returns the records of a response that contains one record or a list. */
export function recordsIn(body: unknown): readonly Fields[] {
  return (Array.isArray(body) ? body : [body]).filter(isFields)
}
