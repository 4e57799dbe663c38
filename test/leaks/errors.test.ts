import { ApiError, type PathologyErrorName } from 'pathology-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { CANARIES, canariesIn, everythingShownOf } from '../support/canaries.js'
import { rejection } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { confession, HostileService } from './hostile-service.js'
import { PROVOCATIONS } from './provocations.js'
import { Sinks } from './sinks.js'
import { createWorld, type Provocation } from './world.js'

const CONSOLE = ['debug', 'info', 'log', 'warn', 'error', 'trace', 'dir'] as const

let service: HostileService
let sinks: Sinks
let printed: unknown[]

beforeAll(async () => {
  service = await HostileService.start()
})

afterAll(() => service[Symbol.asyncDispose]())

beforeEach(() => {
  service.clear()
  sinks = new Sinks()
  printed = []
  const print = (...words: unknown[]): void => void printed.push(...words)
  for (const method of CONSOLE) vi.spyOn(console, method).mockImplementation(print)
  vi.spyOn(process, 'emitWarning').mockImplementation(print)
})

afterEach(() => sinks.close())

/** Line breaks, escape sequences, bidirectional controls: they forge log lines. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]/u

function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : []
}

async function provoked({ provoke }: Provocation): Promise<unknown> {
  const world = createWorld(service, sinks.logger)
  try {
    return await rejection((async () => provoke(world))())
  } finally {
    await world.close()
  }
}

it.each(Object.entries(CANARIES))('the search finds the marker value %s wherever it is', (name, canary) => {
  const forms = {
    plain: canary,
    'upper case': canary.toUpperCase(),
    'URL-encoded': encodeURIComponent(canary),
    'a Basic header': Buffer.from(`client-1:${canary}`).toString('base64'),
    base64: Buffer.from(canary).toString('base64'),
  }
  for (const [form, text] of Object.entries(forms)) {
    expect(canariesIn(`something ${text} else`), form).toEqual([name])
  }
  expect(canariesIn('something else')).toEqual([])
  for (const place of [
    new Error(canary),
    new Error('x', { cause: new Error(canary) }),
    Object.assign(new Error('x'), { a: { b: [{ c: canary }] } }),
    { toJSON: () => canary },
  ]) {
    expect(canariesIn(everythingShownOf(place))).toEqual([name])
  }
})

it('the search finds numbers with the spaces that people write into them', () => {
  expect(canariesIn('2951 87312 5 1')).toEqual(['medicareCard'])
  expect(canariesIn('0491 570 156')).toEqual(['phone'])
})

it.each(PROVOCATIONS)(
  '$error shows no secret, no token and no detail of a patient: $title (§1, §5)',
  async (provocation) => {
    const error = await provoked(provocation)
    expect(error).toMatchObject({ name: provocation.error })
    const shown = everythingShownOf(error)
    expect(canariesIn(shown), shown).toEqual([])
    expect(messagesOf(error).filter((message) => UNPRINTABLE.test(message))).toEqual([])
    const told = sinks.lines.join('\n')
    expect(canariesIn(told), told).toEqual([])
    expect(printed).toEqual([])
  },
)

it('every class of error is provoked', () => {
  const names: Readonly<Record<PathologyErrorName, true>> = {
    PathologyError: true,
    ConfigurationError: true,
    InvalidRequestError: true,
    ApiError: true,
    BadRequestError: true,
    AuthenticationError: true,
    PermissionError: true,
    NotFoundError: true,
    ConflictError: true,
    RateLimitError: true,
    ServerError: true,
    TokenError: true,
    ConnectionError: true,
    TimeoutError: true,
    InvalidResponseError: true,
    OrderOutcomeUnknownError: true,
    OrderLedgerError: true,
    ReferralFailedError: true,
    WebhookVerificationError: true,
  }
  expect(new Set(PROVOCATIONS.map(({ error }) => error))).toEqual(new Set(Object.keys(names)))
})

it("code can read the service's own text, which is complete", async () => {
  service.on('*', (request) => confession(request, 400))
  const world = createWorld(service, sinks.logger)
  const error = await rejection(world.client().referrals.retrieve(UUID))
  await world.close()
  if (!(error instanceof ApiError)) throw error
  const { errorList, issues, serviceMessage } = error
  for (const words of [errorList, issues, serviceMessage]) {
    expect(canariesIn(JSON.stringify(words)).sort()).toEqual(Object.keys(CANARIES).sort())
  }
})
