import { oneOf, optionsCopy } from '../core/caller-input.js'

/** Options for reading a document. */
export interface DocumentOptions {
  /** Ends the download early; the download rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called after each chunk with the bytes so far and the total size, if known. Its errors are ignored, with
   * one warning to the logger. A repeated download counts from 0.
   */
  readonly onProgress?:
    | ((progress: { readonly bytes: number; readonly totalBytes: number | undefined }) => void)
    | undefined
}

const OWNER = 'a document'

const DOCUMENT_OPTIONS: ReadonlySet<string> = new Set<keyof DocumentOptions>(['signal', 'onProgress'])

export function documentOptions(options: DocumentOptions): DocumentOptions {
  return optionsCopy(OWNER, options, DOCUMENT_OPTIONS)
}

/** Options for saving a document. */
export interface SaveOptions extends DocumentOptions {
  /**
   * Permissions of the file, less the process's umask. On Windows, only the owner's write permission has an effect.
   * @defaultValue `0o600`: only the owner reads and writes
   */
  readonly mode?: number | undefined
}

/** Options for sending a document to a browser. */
export interface DocumentResponseOptions {
  /**
   * `inline` shows the document in the browser, `attachment` saves it.
   * @defaultValue `'inline'`
   */
  readonly disposition?: 'inline' | 'attachment' | undefined
  /**
   * Name of the file for the browser. Do not use personal data: browsers and proxies store the name.
   * @defaultValue `'document.pdf'`
   */
  readonly filename?: string | undefined
}

/** Options of `toResponse` and `pipe`. */
export interface SendOptions extends DocumentOptions, DocumentResponseOptions {}

const SAVE_OPTIONS = new Set([...DOCUMENT_OPTIONS, 'mode'])

const SEND_OPTIONS = new Set([...DOCUMENT_OPTIONS, 'disposition', 'filename'])

export function sendOptions(options: SendOptions): SendOptions {
  const own = optionsCopy(OWNER, options, SEND_OPTIONS)
  oneOf('disposition', own.disposition, ['inline', 'attachment'], 'inline')
  return own
}

export function saveOptions(options: SaveOptions): SaveOptions {
  return optionsCopy(OWNER, options, SAVE_OPTIONS)
}
