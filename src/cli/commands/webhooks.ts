import type { PathologyClient } from '../../client/index.js'
import { isPathologyError } from '../../common/errors.js'
import { EVENT_NAMES } from '../../contract/events.js'
import { similarName } from '../../contract/similar.js'
import type { Webhook } from '../../contract/types.js'
import { type CommandRow, required } from '../shared/command.js'
import { withClient } from '../shared/environment.js'
import { type RowLayout, writeObject, writeRows } from '../shared/output.js'
import { listAll, type ReadOptions } from '../shared/records.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'
import { verify } from './webhooks-verify.js'

const LAYOUT: RowLayout<Webhook> = {
  columns: ['id', 'active', 'url', 'events', 'createdAt'],
  empty: 'The organisation has no webhooks.',
}

export const commands: readonly CommandRow[] = [
  {
    name: 'list',
    summary: 'list the subscriptions, newest first',
    prints: 'rows',
    run: listAll(LAYOUT, (client, options) => client.webhooks.list({}, options)),
  },
  {
    name: 'create <url>',
    summary: 'subscribe a URL; the owners and webhook managers get an email',
    prints: 'object',
    options: [
      ['--events <names>', 'names of events, separated by commas; default: all'],
      ['--inactive', 'create the subscription paused'],
    ],
    examples: ['webhooks create https://clinic.example/webhooks --events referral.issued,result.complete'],
    run: show(create),
  },
  ...(['pause', 'resume'] as const).map(
    (name): CommandRow => ({
      name: `${name} <id>`,
      summary:
        name === 'pause' ? 'pause a subscription: it receives no new events' : 'resume a paused subscription',
      prints: 'object',
      run: show((client, id, { signal }) =>
        client.webhooks.update(id, { active: name === 'resume' }, { signal }),
      ),
    }),
  ),
  {
    name: 'delete <id>',
    summary: 'delete a subscription; the owners and webhook managers get an email',
    prints: 'object',
    run: show((client, id, { signal }) => client.webhooks.delete(id, { signal })),
  },
  {
    name: 'events',
    summary: 'list the names of the events',
    prints: 'rows',
    run: listEvents,
  },
  {
    name: 'verify',
    summary: 'verify a saved delivery, and show the reason if it is invalid',
    prints: 'object',
    options: [
      required('--body <file>', 'file with the exact bytes of the body; - reads standard input'),
      ['--signature <hex>', 'value of the header x-svc-hmac-sha256'],
      ['--headers <file>', 'file with the headers, one on each line'],
    ],
    examples: ['webhooks verify --body delivery.json --headers headers.txt'],
    run: verify,
  },
]

interface CreateOptions extends ReadOptions {
  readonly events?: string
  readonly inactive?: boolean
}

type Request = (
  client: PathologyClient,
  word: string,
  options: CreateOptions & { readonly signal: AbortSignal },
) => PromiseLike<object>

/** Returns the run of a command that sends a request and shows the returned object. */
function show(request: Request): CommandRow['run'] {
  return async (terminal: Terminal, word: string, options: CreateOptions) => {
    const { signal } = terminal
    const shown = await withClient(terminal, options, async (client) =>
      request(client, word, { ...options, signal }),
    )
    return writeObject(terminal, options, shown)
  }
}

async function create(...[client, url, { events, inactive, signal }]: Parameters<Request>): Promise<Webhook> {
  const names = events === undefined ? await client.webhooks.eventNames({ signal }) : eventNames(events)
  return client.webhooks
    .create({ url, events: names, active: inactive !== true }, { signal })
    .catch((error: unknown) => {
      if (!isPathologyError(error, 'INVALID_WEBHOOK_EVENTS')) throw error
      throw new OperationError(`${error.message}\nnpx pathology webhooks events lists the names.`)
    })
}

/** Rejects a probable spelling mistake. Any other unknown name can be new, so the service checks it. */
function eventNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  for (const name of names) {
    const meant = similarName(name, EVENT_NAMES)
    if (meant !== undefined) throw new UsageError(`--events: ${name} is not an event; did you mean ${meant}?`)
  }
  return names
}

async function listEvents(terminal: Terminal, options: ReadOptions): Promise<undefined> {
  const { signal } = terminal
  if (options.columns !== undefined)
    throw new UsageError('the list of event names has one column: remove --columns')
  const names = await withClient(terminal, options, (client) => client.webhooks.eventNames({ signal }))
  const layout = { columns: ['name'], empty: 'The service lists no event names.' }
  return writeRows(
    terminal,
    options,
    layout,
    names.map((name) => ({ name })),
  )
}
