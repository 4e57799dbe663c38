import type { Command } from 'commander'
import { EVENT_NAMES } from '../../contract/events.js'
import { similarName } from '../../contract/similar.js'
import { FAULT_FIELDS } from '../../testing/control/action-input.js'
import type { ControlAction } from '../../testing/control/control-action.js'
import { CONTROL_ACTIONS } from '../../testing/servers.js'
import { isLoopbackHost } from '../../testing/transports/allowed-hosts.js'
import { type CommandTools, withEnvironment, withExample } from '../shared/command.js'
import { type EnvironmentOptions, readEnvironment, VARIABLES } from '../shared/environment.js'
import { writeJson } from '../shared/output.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'
import { parseDuration } from '../shared/times.js'
import { flagOf, START_HELP, type StartFlags, serveFake, withStartFlags } from './fake-start.js'

interface ControlOptions extends EnvironmentOptions {
  readonly controlUrl?: string
}

type Values = Readonly<Record<string, unknown>>

/** Makes the group itself start the fake, and adds the commands that control a running one. */
export function define(group: Command, { terminal, action }: CommandTools): void {
  withStartFlags(group)
    // The verbs have options of the same name, such as --set.
    .enablePositionalOptions()
    .addHelpText('after', START_HELP)
    .action(action((flags: StartFlags) => serveFake(terminal, flags)))

  const control = (command: Command): Command =>
    withEnvironment(command).option(
      '--control-url <url>',
      `controlUrl of the running fake; default: ${VARIABLES.fakeControlUrl}`,
    )

  withExample(
    control(group.command('resend [eventUuid]').description('send an event again; default: the last event')),
    'npx pathology fake resend --control-url http://127.0.0.1:4012',
  ).action(
    action(async (eventUuid: string | undefined, options: ControlOptions) => {
      const uuid = eventUuid ?? (await lastEvent(terminal, options))
      const sent = await request(terminal, options, 'POST', `/events/${encodeURIComponent(uuid)}/resend`)
      return report(
        terminal,
        sent,
        `The event ${uuid} is queued again. Number of deliveries: ${String(sent)}.`,
      )
    }),
  )

  withExample(
    control(
      group.command('trigger <eventName>').description('send an event without changing a referral or result'),
    )
      .option('--entity <uuid>', 'UUID of the referral or result; default: the newest one')
      .option('--data <json>', 'data of the event as a JSON object'),
    'npx pathology fake trigger referral.issued',
  ).action(
    action(async (eventName: string, options: ControlOptions & { entity?: string; data?: string }) => {
      const meant = similarName(eventName, EVENT_NAMES)
      if (meant !== undefined) throw new UsageError(`${eventName} is not an event; did you mean ${meant}?`)
      const data = options.data === undefined ? undefined : jsonObject('--data', options.data)
      const body = { eventName, entityUuid: options.entity, data }
      const sent = await request(terminal, options, 'POST', '/trigger', body)
      const eventUuid = field(sent, 'eventUuid')
      const problem = deliveryProblem(await request(terminal, options, 'GET', '/deliveries'), eventUuid)
      if (problem !== undefined) terminal.stderr.write(`${problem}\n`)
      const start = problem === undefined ? `${eventName} is sent to its subscriptions. ` : ''
      return report(terminal, sent, `${start}The UUID of the event is ${eventUuid}.`)
    }),
  )

  withExample(
    control(
      group
        .command('advance <duration>')
        .description('advance the clock of the fake, and run everything that is due until the new time'),
    ),
    'npx pathology fake advance 1h30m',
  ).action(
    action(async (duration: string, options: ControlOptions) => {
      const milliseconds = parseDuration('<duration>', duration)
      const clock = await request(terminal, options, 'POST', '/clock/advance', { milliseconds })
      return report(terminal, clock, `The clock of the fake is at ${field(clock, 'iso')}.`)
    }),
  )

  withExample(
    withFields(
      control(group.command('fault [route...]').description('apply a fault to the next request to a route')),
      FAULT_FIELDS,
    )
      .option('--set <field=value...>', 'any field of the fault, such as reset=before')
      .option('--clear', 'remove every fault of requests and deliveries, and the request limit'),
    'npx pathology fake fault GET /v1/referrals --status 503 --times 2',
    'npx pathology fake fault POST /v1/referrals --stall headers',
    'npx pathology fake fault --clear',
  ).action(
    action((words: readonly string[], options: FaultOptions) => fault(terminal, words.join(' '), options)),
  )

  for (const row of CONTROL_ACTIONS) {
    if (row.verb !== undefined) addVerb(row.verb, row)
  }

  /** Adds the command of one action: the path's parameters are its arguments, and the body's fields its options. */
  function addVerb(verb: string, { method, path, description, body = {} }: ControlAction): void {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const words = [verb, ...names.map((name) => `<${name}>`)].join(' ')
    const example = [verb, ...names.map(() => EXAMPLE_UUID)].join(' ')
    withExample(
      withFields(control(group.command(words).description(description)), body),
      `npx pathology fake ${example}`,
    ).action(
      action(async (...input: readonly unknown[]) => {
        const options = input[names.length] as ControlOptions & Values
        const filled = names.reduce(
          (text, name, at) => text.replace(`{${name}}`, encodeURIComponent(String(input[at]))),
          path,
        )
        const done = await request(terminal, options, method, filled, fieldsIn(body, options))
        return report(terminal, done, `${field(done, 'uuid')} is ${field(done, 'status')}.`)
      }),
    )
  }
}

/** UUID in the examples of the help. */
const EXAMPLE_UUID = '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'

/** Adds an option for each field. The description of a field begins with its type. */
function withFields(command: Command, fields: Readonly<Record<string, string>>): Command {
  for (const [name, description] of Object.entries(fields))
    command.option(`--${flagOf(name)}${description.startsWith('boolean') ? '' : ' <value>'}`, description)
  return command
}

/** Returns the fields that the options set: a list may have commas, and other values than text are JSON. */
function fieldsIn(fields: Readonly<Record<string, string>>, options: Values): Values {
  const given = Object.entries(fields).filter(([name]) => options[name] !== undefined)
  return Object.fromEntries(
    given.map(([name, description]) => [name, fieldValue(String(options[name]), description)]),
  )
}

function fieldValue(text: string, description: string): unknown {
  if (description.startsWith('string')) return text
  if (description.startsWith('list') && !text.startsWith('[')) return text.split(',')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type FaultOptions = ControlOptions &
  Values & {
    readonly status?: string
    readonly times?: string
    readonly set?: readonly string[]
    readonly clear?: boolean
  }

async function fault(terminal: Terminal, route: string, options: FaultOptions): Promise<undefined> {
  if (options.clear === true && route !== '')
    throw new UsageError('--clear removes all faults: pass --clear without a route')
  if (options.clear === true)
    return report(
      terminal,
      await request(terminal, options, 'DELETE', '/faults'),
      'All faults and the request limit are removed.',
    )
  if (route === '') throw new UsageError('pass a route such as GET /v1/referrals, or --clear')
  const added = await request(terminal, options, 'POST', '/faults', {
    route,
    ...fieldsIn(FAULT_FIELDS, options),
    ...(options.status !== undefined && { status: integer('--status', options.status, 0) }),
    ...(options.times !== undefined && {
      times: options.times === 'all' ? null : integer('--times', options.times, 1, ', or all'),
    }),
    ...Object.fromEntries((options.set ?? []).map(setting)),
  })
  return report(terminal, added, `The fault applies to ${requestsOf(options)} to ${route}.`)
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
  return [text.slice(0, separator), fieldValue(text.slice(separator + 1), '')]
}

function integer(option: string, text: string, minimum: number, others = ''): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= minimum) return Number(text)
  throw new UsageError(`${option} must be an integer from ${minimum} to 999999999${others}`)
}

function jsonObject(option: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The error below replaces the parser's error, which would repeat the text.
  }
  throw new UsageError(`${option} must be a JSON object`)
}

async function lastEvent(terminal: Terminal, options: ControlOptions): Promise<string> {
  const events = await request(terminal, options, 'GET', '/events')
  const last: unknown = Array.isArray(events) ? events.at(-1) : undefined
  const uuid: unknown = typeof last === 'object' && last !== null ? Reflect.get(last, 'eventUuid') : undefined
  if (typeof uuid !== 'string')
    throw new OperationError('the fake has no event to send again: send one with npx pathology fake trigger')
  return uuid
}

/** Writes a sentence in a terminal, and the response of the control API as JSON in a pipe or a file. */
function report(terminal: Terminal, response: unknown, sentence: string): undefined {
  if (terminal.stdout.isTTY) terminal.stdout.write(`${sentence}\n`)
  else writeJson(terminal, response)
  return undefined
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

async function request(
  terminal: Terminal,
  options: ControlOptions,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await send(terminal, `${controlUrl(terminal, options)}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: terminal.signal,
  })
  const content: unknown = await response.json().catch(() => undefined)
  if (response.ok) return content
  const message: unknown =
    typeof content === 'object' && content !== null ? Reflect.get(content, 'message') : undefined
  throw new OperationError(
    `the fake rejected the command: ${typeof message === 'string' ? message : response.status}`,
  )
}

async function send(terminal: Terminal, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (terminal.signal.aborted) throw error
    throw new OperationError(
      'the control API of the fake does not respond, so it is unknown whether the command was carried out. Check that the fake is running and that the URL is its controlUrl. Each start prints a new controlUrl, unless you pass --control-port',
    )
  }
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
