import { EVENT_NAMES } from '../../contract/events.js'
import { similarName } from '../../contract/similar.js'
import type { ControlAction } from '../../testing/control/control-action.js'
import { fieldOf, fieldValue } from '../../testing/control/fields.js'
import { CONTROL_ACTIONS } from '../../testing/servers.js'
import { isLoopbackHost } from '../../testing/transports/allowed-hosts.js'
import type { CommandRow, OptionRow } from '../shared/command.js'
import { type EnvironmentOptions, readEnvironment, VARIABLES } from '../shared/environment.js'
import { writeJson } from '../shared/output.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'
import { parseDuration } from '../shared/times.js'
import { flagOf, START } from './fake-start.js'

/** Sends a request to the control API of the running fake. */
type Send = (method: string, path: string, body?: object) => Promise<unknown>

type Values = Readonly<Record<string, unknown>>

/** The response of the control API, what it means as a sentence, and what the user should know besides. */
type Outcome = readonly [response: unknown, sentence: string, warning?: string | undefined]

type Fields = Readonly<Record<string, string>>

const CONTROL_URL: OptionRow = [
  '--control-url <url>',
  `controlUrl of the running fake; default: ${VARIABLES.fakeControlUrl}`,
]

const { route: _, ...FAULT_FIELDS } =
  CONTROL_ACTIONS.find(({ method, path }) => method === 'POST' && path === '/faults')?.body ?? {}

/** The group itself starts a fake; its commands control a running one. */
export const commands: readonly CommandRow[] = [
  START,
  control(
    {
      name: 'resend [eventUuid]',
      summary: 'send an event again; default: the last event',
      examples: ['fake resend --control-url http://127.0.0.1:4012'],
    },
    async (send, _, given) => {
      const uuid = typeof given === 'string' ? given : lastEvent(await send('GET', '/events'))
      const sent = await send('POST', `/events/${encodeURIComponent(uuid)}/resend`)
      return [sent, `The event ${uuid} is queued again. Number of deliveries: ${String(sent)}.`]
    },
  ),
  control(
    {
      name: 'trigger <eventName>',
      summary: 'send an event without changing a referral or result',
      options: [
        ['--entity <uuid>', 'UUID of the referral or result; default: the newest one'],
        ['--data <json>', 'data of the event as a JSON object'],
      ],
      examples: ['fake trigger referral.issued'],
    },
    trigger,
  ),
  control(
    {
      name: 'advance <duration>',
      summary: 'advance the clock of the fake, and run everything that is due until the new time',
      examples: ['fake advance 1h30m'],
    },
    async (send, _, duration) => {
      const milliseconds = parseDuration('<duration>', String(duration))
      const clock = await send('POST', '/clock/advance', { milliseconds })
      return [clock, `The clock of the fake is at ${field(clock, 'iso')}.`]
    },
  ),
  control(
    {
      name: 'fault [route...]',
      summary: 'apply a fault to the next request to a route',
      options: [
        ...fieldOptions(FAULT_FIELDS),
        ['--set <field=value...>', 'any field of the fault, such as reset=before'],
        ['--clear', 'remove every fault of requests and deliveries, and the request limit'],
      ],
      examples: [
        'fake fault GET /v1/referrals --status 503 --times 2',
        'fake fault POST /v1/referrals --stall headers',
        'fake fault --clear',
      ],
    },
    (send, options, words) => fault(send, (words as readonly string[]).join(' '), options),
  ),
  ...CONTROL_ACTIONS.flatMap((action) => (action.verb === undefined ? [] : [verbOf(action.verb, action)])),
]

/** Returns a command that controls a running fake. It prints a sentence in a terminal, and the response elsewhere. */
function control(
  row: Omit<CommandRow, 'run'>,
  act: (send: Send, options: Values, ...words: unknown[]) => Promise<Outcome>,
): CommandRow {
  return {
    ...row,
    options: [CONTROL_URL, ...(row.options ?? [])],
    run: async (terminal: Terminal, ...input: unknown[]) => {
      // The parser passes the words, the options and itself.
      const options = input.at(-2) as Values & ControlOptions
      const send: Send = (method, path, body) => request(terminal, options, method, path, body)
      const [response, sentence, warning] = await act(send, options, ...input.slice(0, -2))
      if (warning !== undefined) terminal.stderr.write(`${warning}\n`)
      if (!terminal.stdout.isTTY) return writeJson(terminal, response)
      terminal.stdout.write(`${sentence}\n`)
      return undefined
    },
  }
}

/** Returns the command of an action: the path's parameters are its arguments, and the body's fields its options. */
function verbOf(verb: string, { method, path, description, body = {} }: ControlAction): CommandRow {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return control(
    {
      name: [verb, ...names.map((name) => `<${name}>`)].join(' '),
      summary: description,
      options: fieldOptions(body),
    },
    async (send, options, ...words) => {
      const filled = names.reduce(
        (text, name, at) => text.replace(`{${name}}`, encodeURIComponent(String(words[at]))),
        path,
      )
      const done = await send(method, filled, fieldsIn(body, options))
      const { uuid, status } = Object(done)
      return [done, status === undefined ? 'Done.' : `${uuid} is ${status}.`]
    },
  )
}

async function trigger(send: Send, { entity, data }: Values, eventName: unknown): Promise<Outcome> {
  const meant = similarName(String(eventName), EVENT_NAMES)
  if (meant !== undefined) throw new UsageError(`${eventName} is not an event; did you mean ${meant}?`)
  const fields = fieldsIn({ data: 'object' }, { data })
  const sent = await send('POST', '/trigger', { eventName, entityUuid: entity, ...fields })
  const eventUuid = field(sent, 'eventUuid')
  const problem = deliveryProblem(await send('GET', '/deliveries'), eventUuid)
  const start = problem === undefined ? `${eventName} is sent to its subscriptions. ` : ''
  return [sent, `${start}The UUID of the event is ${eventUuid}.`, problem]
}

async function fault(send: Send, route: string, options: FaultOptions): Promise<Outcome> {
  if (options.clear === true && route !== '')
    throw new UsageError('--clear removes all faults: pass --clear without a route')
  if (options.clear === true)
    return [await send('DELETE', '/faults'), 'All faults and the request limit are removed.']
  if (route === '') throw new UsageError('pass a route such as GET /v1/referrals, or --clear')
  const given = options.times === 'all' ? { ...options, times: 'null' } : options
  const added = await send('POST', '/faults', {
    route,
    ...fieldsIn(FAULT_FIELDS, given),
    ...Object.fromEntries((options.set ?? []).map(setting)),
  })
  return [added, `The fault applies to ${requestsOf(options)} to ${route}.`]
}

interface FaultOptions extends Values {
  readonly times?: string
  readonly set?: readonly string[]
  readonly clear?: boolean
}

function requestsOf({ times = '1', set = [], nth, probability }: FaultOptions): string {
  if (nth !== undefined || probability !== undefined) return 'the selected requests'
  if (set.some((text) => /^(?:times|nth|probability)=/.test(text))) return 'the selected requests'
  if (times === 'all') return 'every request'
  return times === '1' ? 'the next request' : `the next ${times} requests`
}

function setting(text: string): [name: string, value: unknown] {
  const separator = text.indexOf('=')
  if (separator < 1) throw new UsageError('--set needs field=value')
  return [text.slice(0, separator), fieldValue(text.slice(separator + 1), 'any')]
}

function lastEvent(events: unknown): string {
  const last: unknown = Array.isArray(events) ? events.at(-1) : undefined
  const uuid: unknown = Reflect.get(Object(last), 'eventUuid')
  if (typeof uuid === 'string') return uuid
  throw new OperationError('the fake has no event to send again: send one with npx pathology fake trigger')
}

/**
 * Describes why a new event is not sent at once: no active webhook subscribes to it, or an earlier delivery failed.
 * Returns `undefined` if the event is sent at once.
 *
 * @param deliveries - Response of `GET /deliveries`.
 */
function deliveryProblem(deliveries: unknown, eventUuid: string): string | undefined {
  const all: readonly unknown[] = Array.isArray(deliveries) ? deliveries : []
  const own = all.filter((delivery) => field(delivery, 'eventUuid') === eventUuid)
  if (own.length === 0)
    return 'No webhook gets this event, because no active webhook subscribes to it. Start the fake with --webhook-url'
  const isRepeated = (delivery: unknown): boolean =>
    field(delivery, 'nextAttemptAt') !== 'null' && field(delivery, 'attempts') !== ''
  const failed = all.filter((delivery) => !own.includes(delivery) && isRepeated(delivery))
  const isBlocked = (delivery: unknown): boolean =>
    failed.some((other) =>
      ['webhookId', 'entityUuid'].every((name) => field(other, name) === field(delivery, name)),
    )
  if (!own.some(isBlocked)) return undefined
  return 'This event waits, because the delivery of an earlier event of the same record failed. To retry that delivery now, run this command with the same control URL: npx pathology fake advance 16m'
}

function field(value: unknown, name: string): string {
  return String(typeof value === 'object' && value !== null ? Reflect.get(value, name) : value)
}

function fieldOptions(fields: Fields): OptionRow[] {
  return Object.entries(fields).map(([name, description]) => [
    `--${flagOf(name)}${fieldOf(description).kind === 'boolean' ? '' : ' <value>'}`,
    description,
  ])
}

/** Returns the fields that the options set: a list may have commas, and other values than text are JSON. */
function fieldsIn(fields: Fields, options: Values): Values {
  const given = Object.entries(fields).filter(([name]) => options[name] !== undefined)
  return Object.fromEntries(
    given.map(([name, description]) => [name, fieldValue(String(options[name]), fieldOf(description).kind)]),
  )
}

interface ControlOptions extends EnvironmentOptions {
  readonly controlUrl?: string
}

async function request(
  terminal: Terminal,
  options: ControlOptions,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const { signal } = terminal
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const url = `${controlUrl(terminal, options)}${path}`
  const response = await fetch(url, { method, signal, ...content }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new OperationError(
      'the control API of the fake does not respond, so it is unknown whether the command was carried out. Check that the fake is running and that the URL is its controlUrl. Each start prints a new controlUrl, unless you pass --control-port',
    )
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const message: unknown = Reflect.get(Object(answer), 'message')
  throw new OperationError(
    `the fake rejected the command: ${typeof message === 'string' ? message : response.status}`,
  )
}

function controlUrl(terminal: Terminal, options: ControlOptions): string {
  const text = options.controlUrl ?? readEnvironment(terminal, options).fakeControlUrl
  if (text === undefined)
    throw new UsageError(
      `pass the controlUrl that the fake printed: with --control-url, or in ${VARIABLES.fakeControlUrl}`,
    )
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' || !isLoopbackHost(url.host))
    throw new UsageError('the control URL must be an http URL on this machine')
  return url.origin
}
