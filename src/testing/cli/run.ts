import { readFile } from 'node:fs/promises'
import { type FakeSnapshot, snapshotFromJson } from '../core/snapshot.js'
import { FakePathologyService, type FakeStartOptions } from '../fake-pathology-service.js'
import { requireFromHere } from '../server/runtime.js'
import { CliError, readArguments } from './arguments.js'
import { helpText } from './help.js'

const USAGE_ERROR = 2

/**
 * Runs the command until it is stopped.
 *
 * @returns The exit code: 0, or 2 after one line on standard error.
 */
export async function runCli(words: readonly string[]): Promise<number> {
  try {
    const request = readArguments(words)
    if (request.kind === 'help') process.stdout.write(helpText())
    else if (request.kind === 'version') process.stdout.write(`${packageVersion()}\n`)
    else await serve(request.options, request.seedFile)
    return 0
  } catch (error) {
    process.stderr.write(`pathology-fake: ${problem(error)}\n`)
    return USAGE_ERROR
  }
}

async function serve(options: FakeStartOptions, seedFile: string | undefined): Promise<void> {
  const snapshot = seedFile === undefined ? undefined : await readSeed(seedFile)
  const fake = await FakePathologyService.start(options)
  try {
    if (snapshot !== undefined) restoreSeed(fake, snapshot, options.webhookUrl)
  } catch (error) {
    // An open server would keep the process running.
    await fake.close()
    throw error
  }
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const { signingSecret, controlUrl } = fake
  const ready = { baseUrl, authUrl, clientId, clientSecret, signingSecret, controlUrl }
  // The handlers of signals are set before the line is printed: a program may stop the fake as soon as it reads the
  // line.
  const stopped = untilStopped()
  process.stdout.write(`${JSON.stringify(ready)}\n`)
  if (process.stdout.isTTY && process.stderr.isTTY) process.stderr.write(welcome(ready))
  await stopped
  await fake.close()
}

/**
 * Restores a snapshot, and adds the webhook of the option `webhookUrl` if the snapshot has no webhook with this URL.
 */
function restoreSeed(
  fake: FakePathologyService,
  snapshot: FakeSnapshot,
  webhookUrl: string | undefined,
): void {
  fake.restore(snapshot)
  if (webhookUrl === undefined) return
  const { href } = new URL(webhookUrl)
  const isKnown = snapshot.state.webhooks.lists.own.some(({ url }) => url === href)
  if (!isKnown) fake.webhooks.createInPortal({ url: webhookUrl })
}

async function readSeed(file: string): Promise<FakeSnapshot> {
  try {
    return snapshotFromJson(await readFile(file, 'utf8'))
  } catch (error) {
    throw new CliError(
      `cannot read the seed file '${file}': ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

function problem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = Reflect.get(error, 'code')
  const port = Reflect.get(error, 'port')
  if (code === 'EADDRINUSE')
    return `port ${port} is in use; stop the program that uses it, or pass another port`
  if (code === 'EACCES') return `no permission to use port ${port}; pass another port, such as 4010`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'the value of --host is not an address of this machine'
  return error.message.replaceAll('\n', '; ')
}

/** Data of the line of JSON that the command prints when the fake is ready. */
interface Ready {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly signingSecret: string
  readonly controlUrl: string | undefined
}

/** Returns the text for a terminal. Programs read the line of JSON instead. */
function welcome(ready: Ready): string {
  return [
    '',
    'The fake is ready. Keep this terminal open; stop the fake with Ctrl-C.',
    `Console: ${ready.controlUrl}`,
    'For the .env file of your program:',
    '',
    `PATHOLOGY_BASE_URL=${ready.baseUrl}`,
    `PATHOLOGY_AUTH_URL=${ready.authUrl}`,
    `PATHOLOGY_CLIENT_ID=${ready.clientId}`,
    `PATHOLOGY_CLIENT_SECRET=${ready.clientSecret}`,
    `PATHOLOGY_WEBHOOK_SECRET=${ready.signingSecret}`,
    `PATHOLOGY_FAKE_CONTROL_URL=${ready.controlUrl}`,
    '',
    '',
  ].join('\n')
}

/** Paths of the package's `package.json`, relative to a built file and to a source file. */
const MANIFESTS = ['../package.json', '../../../package.json']

/** Returns the version of this package. */
function packageVersion(): string {
  for (const path of MANIFESTS) {
    const { name, version } = readManifest(path)
    if (name === 'pathology-sdk' && typeof version === 'string') return version
  }
  throw new Error('the package.json of pathology-sdk was not found')
}

function readManifest(path: string): { readonly name?: unknown; readonly version?: unknown } {
  try {
    return requireFromHere(path)
  } catch {
    return {}
  }
}
