import type { Command } from 'commander'
import type { PathologyClient } from '../../client/index.js'
import { isPathologyError } from '../../common/errors.js'
import { EVENT_NAMES } from '../../contract/events.js'
import { similarName } from '../../contract/similar.js'
import type { Webhook } from '../../contract/types.js'
import { type CommandTools, withEnvironment, withExample, withObject, withRows } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { type RowLayout, type RowOptions, writeObject, writeRows } from '../shared/output.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'
import { verify } from './webhooks-verify.js'

const LAYOUT: RowLayout<Webhook> = {
  columns: ['id', 'active', 'url', 'events', 'createdAt'],
  empty: 'The organisation has no webhooks.',
}

/** Identifier in the examples of the help. */
const EXAMPLE_ID = '3d0c2f1e-8a55-4f1c-9a1e-5b7c6d8e9f00'

type Options = RowOptions & EnvironmentOptions

/** Adds `webhooks list|create|pause|resume|delete|events|verify`. */
export function define(group: Command, { terminal, action }: CommandTools): void {
  const { signal } = terminal
  /** Returns an action that sends a request and shows the returned object. */
  const show =
    (request: (client: PathologyClient, word: string, options: CreateOptions) => PromiseLike<object>) =>
    async (word: string, options: Options & CreateOptions): Promise<undefined> => {
      writeObject(
        terminal,
        options,
        await withClient(terminal, options, async (client) => request(client, word, options)),
      )
      return undefined
    }

  withExample(
    withRows(withEnvironment(group.command('list').description('list the subscriptions, newest first'))),
    'npx pathology webhooks list',
  ).action(
    action(async (options: Options) => {
      await withClient(terminal, options, (client) =>
        writeRows(terminal, options, LAYOUT, client.webhooks.list({}, { signal })),
      )
      return undefined
    }),
  )

  withExample(
    withObject(
      withEnvironment(
        group
          .command('create <url>')
          .description('subscribe a URL; the owners and webhook managers get an email'),
      ),
    )
      .option('--events <names>', 'names of events, separated by commas; default: all')
      .option('--inactive', 'create the subscription paused'),
    'npx pathology webhooks create https://clinic.example/webhooks --events referral.issued,result.complete',
  ).action(
    action(
      show(async (client, url, { events, inactive }) => {
        const names = events === undefined ? await client.webhooks.eventNames({ signal }) : eventNames(events)
        return client.webhooks
          .create({ url, events: names, active: inactive !== true }, { signal })
          .catch((error: unknown) => {
            if (!isPathologyError(error, 'INVALID_WEBHOOK_EVENTS')) throw error
            throw new OperationError(`${error.message}\nnpx pathology webhooks events lists the names.`)
          })
      }),
    ),
  )

  for (const [name, active, words] of [
    ['pause', false, 'pause a subscription: it receives no new events'],
    ['resume', true, 'resume a paused subscription'],
  ] as const) {
    withExample(
      withObject(withEnvironment(group.command(`${name} <id>`).description(words))),
      `npx pathology webhooks ${name} ${EXAMPLE_ID}`,
    ).action(action(show((client, id) => client.webhooks.update(id, { active }, { signal }))))
  }

  withExample(
    withObject(
      withEnvironment(
        group
          .command('delete <id>')
          .description('delete a subscription; the owners and webhook managers get an email'),
      ),
    ),
    `npx pathology webhooks delete ${EXAMPLE_ID}`,
  ).action(action(show((client, id) => client.webhooks.delete(id, { signal }))))

  withExample(
    withRows(withEnvironment(group.command('events').description('list the names of the events'))),
    'npx pathology webhooks events --json',
  ).action(action((options: Options) => listEvents(terminal, options)))

  withExample(
    withObject(
      withEnvironment(
        group.command('verify').description('verify a saved delivery, and show the reason if it is invalid'),
      ),
    )
      .requiredOption('--body <file>', 'file with the exact bytes of the body; - reads standard input')
      .option('--signature <hex>', 'value of the header x-svc-hmac-sha256')
      .option('--headers <file>', 'file with the headers, one on each line'),
    'npx pathology webhooks verify --body delivery.json --headers headers.txt',
  ).action(action((options: Parameters<typeof verify>[1]) => verify(terminal, options)))
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

interface CreateOptions {
  readonly events?: string
  readonly inactive?: boolean
}

async function listEvents(terminal: Terminal, options: Options): Promise<undefined> {
  const { signal } = terminal
  if (options.columns !== undefined)
    throw new UsageError('the list of event names has one column: remove --columns')
  const names = await withClient(terminal, options, (client) => client.webhooks.eventNames({ signal }))
  await writeRows(
    terminal,
    options,
    { columns: ['name'], empty: 'The service lists no event names.' },
    names.map((name) => ({ name })),
  )
  return undefined
}
