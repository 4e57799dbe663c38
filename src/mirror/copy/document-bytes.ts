import { createHash } from 'node:crypto'

import { ConfigurationError, PathologyError } from '../../common/errors.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { methodOptions } from '../method-options.js'
import type { DocumentStorage } from './object-store.js'
import type { RecordKind } from './record-kinds.js'

/** Selection of a PDF in the copy. */
export interface DocumentSelection {
  /** Kind of the record. */
  readonly kind: RecordKind
  /** UUID of the record. */
  readonly uuid: string
  /**
   * Name of the organisation. Pass the name if several organisations can have a record with this UUID.
   * @defaultValue any organisation of the mirror that has the PDF
   */
  readonly organisation?: string | undefined
}

interface DocumentRow {
  readonly sha256: string
  /** The PDF in Base64; `null` if an object store has it. */
  readonly content: string | null
}

const FIND = `
SELECT sha256, encode(content, 'base64') AS content FROM {schema}.document
WHERE kind = $1 AND uuid = $2 AND organisation = ANY($3::text[]) AND removed_at IS NULL LIMIT 1`

/** The PDFs in the copy. Available as `mirror.documents`. */
export class DocumentCopies {
  readonly #ready: () => Promise<MirrorContext>
  readonly #storage: DocumentStorage

  /** @param ready - Opens the database. */
  constructor(ready: () => Promise<MirrorContext>, storage: DocumentStorage) {
    this.#ready = ready
    this.#storage = storage
  }

  /**
   * Returns the PDF of a referral or a result; `undefined` if the copy has none.
   *
   * @throws {@link PathologyError} with code `DOCUMENT_DAMAGED` if the object store does not return the stored PDF.
   * @throws {@link PathologyError} with code `UNKNOWN_ORGANISATION` if `organisation` is not a name from
   * `createMirror`.
   * @throws {@link ConfigurationError} if the selection is invalid, or if the option `documents` is `none`. Also if
   * this option is `database`, and an object store has the PDF.
   * @throws The error of the object store if its `get` fails.
   *
   * @example
   * ```ts
   * const pdf = await mirror.documents.bytes({ kind: 'result', uuid })
   * ```
   */
  async bytes(selection: DocumentSelection): Promise<Uint8Array | undefined> {
    const { kind, uuid, organisation } = methodOptions('documents.bytes', selection)
    const storage = this.#storage
    if (storage === 'none') {
      throw new ConfigurationError(
        "mirror.documents: the option documents is 'none', so no PDF was read. Set it to 'database' or the object store",
      )
    }
    const context = await this.#ready()
    const values = [kind, uuid.toLowerCase(), namesOf(context, organisation)]
    const row = await context.database.first<DocumentRow>(FIND, values)
    if (row === undefined) return undefined
    if (row.content !== null) return new Uint8Array(Buffer.from(row.content, 'base64'))
    if (storage === 'database') {
      throw new ConfigurationError(
        `mirror.documents: the PDF of this ${kind} is in an object store, and the option documents is 'database'. Pass the object store in documents`,
      )
    }
    const content = await storage.get(row.sha256)
    if (content && createHash('sha256').update(content).digest('hex') === row.sha256) return content
    throw new PathologyError(
      `The object store returned no PDF, or a changed PDF, for this ${kind}. The record in the database is complete. Restore the object ${row.sha256}, or read the PDF from the service.`,
      { code: 'DOCUMENT_DAMAGED' },
    )
  }
}
