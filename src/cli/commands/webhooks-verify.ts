import { isPathologyError } from '../../common/errors.js'
import { SIGNATURE_HEADER } from '../../contract/events.js'
import { type EnvironmentOptions, readEnvironment, VARIABLES } from '../shared/environment.js'
import { readInput, readText } from '../shared/files.js'
import { type RowOptions, writeObject } from '../shared/output.js'
import { EXIT, type ExitCode, type Terminal, UsageError } from '../shared/terminal.js'

/** Options of `webhooks verify`. */
export interface VerifyOptions extends RowOptions, EnvironmentOptions {
  readonly body: string
  readonly signature?: string
  readonly headers?: string
}

/** Common mistakes when a body is saved. Each mistake has a description, and a function that undoes the mistake. */
const MISTAKES: readonly (readonly [mistake: string, undo: (text: string) => string])[] = [
  ['the saved body ends with a line break that was not received', (text) => text.replace(/\r?\n$/, '')],
  ['the saved body lacks the line break at its end', (text) => `${text}\n`],
  [
    'the line breaks of the saved body differ from the received ones',
    (text) => (text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n')),
  ],
  ['the saved body begins with a byte order mark', (text) => text.replace(/^\uFEFF/, '')],
  ['the body was parsed and serialised again: save the bytes before a JSON parser reads them', compactJson],
]

/** Verifies a saved delivery with the secret of the environment. */
export async function verify(terminal: Terminal, options: VerifyOptions): Promise<ExitCode> {
  const { webhookSecret: secret } = readEnvironment(terminal, options)
  if (secret === undefined)
    throw new UsageError(`${VARIABLES.webhookSecret} is not set: set it in the environment or in a .env file`)
  if (options.body === '-' && options.headers === '-')
    throw new UsageError('only one of --body and --headers can be -, because standard input is read once')
  const body = await readInput(terminal, options.body)
  const signature = await signatureOf(terminal, options)
  const { verifyWebhook, signWebhook } = await import('../../webhooks/index.js')
  try {
    const { eventName, eventUuid } = await verifyWebhook(body, signature, secret)
    writeObject(terminal, options, { valid: true, eventName, eventUuid })
    return EXIT.ok
  } catch (error) {
    if (!isPathologyError(error)) throw error
    const reason: unknown = Reflect.get(error, 'reason')
    const isMismatch = reason === 'signature-mismatch'
    const cause = isMismatch
      ? await causeOf(body, (text) =>
          signWebhook(text, secret.trim()).then((expected) => expected === signature.toLowerCase()),
        )
      : undefined
    writeObject(terminal, options, { valid: false, reason, message: error.message, ...(cause && { cause }) })
    return EXIT.findings
  }
}

async function signatureOf(terminal: Terminal, { signature, headers }: VerifyOptions): Promise<string> {
  if ((signature === undefined) === (headers === undefined))
    throw new UsageError('pass either --signature or --headers')
  if (signature !== undefined) return signature.trim()
  const lines = (await readText(terminal, headers ?? '')).split(/\r?\n/)
  const name = `${SIGNATURE_HEADER}:`
  const line = lines.find((each) => each.toLowerCase().startsWith(name))
  if (line === undefined) throw new UsageError(`the file of --headers has no line ${SIGNATURE_HEADER}: …`)
  return line.slice(name.length).trim()
}

/** Returns the description of a mistake whose correction makes the signature match; `undefined` if there is none. */
async function causeOf(
  body: Uint8Array,
  matches: (text: string) => Promise<boolean>,
): Promise<string | undefined> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  for (const [mistake, undo] of MISTAKES) {
    const original = undo(text)
    if (original !== text && (await matches(original))) return mistake
  }
  return undefined
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
