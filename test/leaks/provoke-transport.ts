import type { FetchLike, PathologyClient } from 'pathology-sdk'
import { Agent, type Dispatcher } from 'undici'
import { CANARIES } from '../support/canary-values.js'
import { medicareOrder, order, referral, UUID } from '../support/samples.js'
import { confession, everything, type HostileScript, page, TOKEN_ROUTE } from './hostile-service.js'
import { answered, type Provocation, type World } from './world.js'

const read = (client: PathologyClient): unknown => client.referrals.retrieve(UUID)
const change = (client: PathologyClient): unknown =>
  client.referrals.update(UUID, { email: CANARIES.email, firstName: CANARIES.firstName })
const place = (client: PathologyClient): unknown => client.referrals.create(medicareOrder())

/** A fetch whose error contains all its input. */
const talkativeFetch: FetchLike = async (input, init) => {
  if (input.endsWith('/oauth/token')) return fetch(input, init)
  const told = `cannot fetch ${input} with ${JSON.stringify(init)}`
  throw new TypeError(told, { cause: Object.assign(new Error(told), { code: 'ECONNRESET', request: init }) })
}

/** A dispatcher whose error contains all its input. */
class TalkativeAgent extends Agent {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (options.path.endsWith('/oauth/token')) return super.dispatch(options, handler)
    throw Object.assign(new Error(`cannot send ${JSON.stringify(options)}`), { options })
  }
}

const wire: Provocation[] = [
  answered('reset', 'ConnectionError', { fault: 'reset' }, read),
  answered('reset of a change', 'ConnectionError', { fault: 'reset' }, change),
  answered(
    'bytes that are not HTTP',
    'ConnectionError',
    (request) => ({ fault: 'garbage', text: everything(request) }),
    read,
  ),
  answered(
    'an invalid header',
    'ConnectionError',
    (request) => ({ fault: 'garbage', text: `HTTP/1.1 200 OK\r\n${everything(request)}` }),
    read,
  ),
  answered(
    'a truncated response',
    'InvalidResponseError',
    (request) => ({ fault: 'cut', text: everything(request) }),
    read,
  ),
  answered('nothing for too long', 'TimeoutError', { fault: 'hang' }, (client) =>
    client.referrals.update(UUID, { phone: CANARIES.phone }, { timeout: 60 }),
  ),
  answered(
    'half a response, then a stall',
    'TimeoutError',
    (request) => ({ fault: 'stall', text: everything(request) }),
    (client) => client.referrals.retrieve(UUID, { timeout: 60 }),
  ),
  answered('a talkative fetch', 'ConnectionError', {}, change, { fetch: talkativeFetch }),
  answered('a talkative dispatcher', 'ConnectionError', {}, change, { dispatcher: new TalkativeAgent() }),
  {
    title: 'a wait for what does not come',
    error: 'TimeoutError',
    provoke: ({ service, client }) => {
      service.on('*', { json: referral({ uuid: UUID }) })
      return client().referrals.waitFor(UUID, { status: 'REFUNDED', timeout: 100 })
    },
  },
]

const LOSSES: Readonly<Record<string, HostileScript>> = {
  'lost, and the list is empty': { fault: 'reset' },
  'with an error page as the response': (request) => page(request, 502),
  'with a response that repeats all data': (request) => confession(request, 500),
  'with half a list as the response': (request) => ({ text: `[{"person": "${everything(request)}` }),
}

const orders: Provocation[] = Object.entries(LOSSES).flatMap(([what, script]) => {
  const provoke =
    (list: HostileScript, call: (client: PathologyClient) => unknown) =>
    ({ service, client }: World): unknown => {
      service.on('POST /v1/referrals', script)
      service.on('GET /v1/referrals', list)
      return call(client())
    }
  const error = 'OrderOutcomeUnknownError'
  const another = { json: { referrals: [referral({ createdAt: new Date().toISOString() })] } }
  return [
    { title: `an order ${what}`, error, provoke: provoke({ json: { referrals: [] } }, place) },
    { title: `an order ${what}, no list`, error, provoke: provoke(script, place) },
    {
      title: `an order whose list shows another ${what}`,
      error,
      provoke: provoke(another, (client) => client.referrals.create(medicareOrder())),
    },
  ] as const
})

const token = (
  title: string,
  script: HostileScript,
  error: Provocation['error'] = 'TokenError',
): Provocation => ({
  title: `tokens: ${title}`,
  error,
  provoke: ({ service, client }) => {
    service.on(TOKEN_ROUTE, script)
    return client({ clientAuthentication: 'body' }).referrals.create(order())
  },
})

const tokens: Provocation[] = [
  token('an error that repeats all data', (request) => confession(request, 401, '123')),
  token('a refusal with an unknown code', (request) => confession(request, 400, '999')),
  token('a page', (request) => page(request, 500)),
  token('a page with status 200', (request) => page(request, 200)),
  token('a redirect', (request) => ({
    status: 307,
    headers: { location: everything(request).slice(0, 99) },
  })),
  token('one with a line break', {
    json: { access_token: `${CANARIES.accessToken}\r\nx: y`, expires_in: 9 },
  }),
  token('a lifetime that is not a number', {
    json: { access_token: CANARIES.accessToken, expires_in: CANARIES.refreshToken },
  }),
  token('a reset', { fault: 'reset' }, 'ConnectionError'),
  token(
    'half a response',
    (request) => ({ fault: 'cut', text: everything(request) }),
    'InvalidResponseError',
  ),
  {
    title: 'tokens: a refusal after a 401, with a Basic header',
    error: 'TokenError',
    provoke: async ({ service, client }) => {
      const own = client()
      service.on('*', { json: referral({ uuid: UUID }) })
      await own.referrals.retrieve(UUID)
      service.on('*', (request) => confession(request, 401, 'INVALID_JWT'))
      service.on(TOKEN_ROUTE, (request) => confession(request, 401, '108'))
      return own.referrals.retrieve(UUID)
    },
  },
]

/** Broken connections, orders whose response is lost, and a token service that issues no token. */
export const TRANSPORT: readonly Provocation[] = [...wire, ...orders, ...tokens]
