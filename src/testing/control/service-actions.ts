import type { FakeCore } from '../core/fake-core.js'
import { restoreSnapshot, snapshotFromJson, snapshotToJson, takeSnapshot } from '../core/snapshot.js'
import { isChangeable } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'
import { FAULT_FIELDS, readFault, readQuota, readTrigger } from './action-input.js'
import type { ControlAction } from './control-action.js'
import { assertNoUnusedFaults, bindMethods, CONTROL_METHODS } from './control-methods.js'
import { TokenMethods } from './token-methods.js'

const CLOCK_FIELDS = {
  days: 'number',
  hours: 'number',
  minutes: 'number',
  seconds: 'number',
  milliseconds: 'number',
}

const CLOCK_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/clock',
    description: "returns the time of the fake's clock",
    run: (core) => clock(core),
  },
  {
    method: 'POST',
    path: '/clock/advance',
    description: 'advances the clock and runs everything that becomes due, including deliveries',
    body: CLOCK_FIELDS,
    run: async (core, { body }) => {
      await core.advance(body)
      return clock(core)
    },
  },
]

const JOURNAL_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/state',
    description: 'returns the URLs, the time, the options without secrets, and the numbers of records',
    run: (core) => summary(core),
  },
  {
    method: 'GET',
    path: '/requests',
    description: 'returns the request journal, oldest first; ?after=N returns only requests after number N',
    run: (core, { query }) => {
      const after = Number(query.get('after') ?? 0)
      if (!Number.isSafeInteger(after)) throw new RangeError('after must be the number of a request')
      const requests = core.requests().filter((entry) => entry.number > after)
      return { count: core.state.server.requests.count, requests }
    },
  },
  {
    method: 'POST',
    path: '/trigger',
    description:
      'sends an event without a change of its record; returns eventUuid and deliveries, the number of added deliveries',
    body: {
      eventName: 'string',
      entityUuid: 'string: UUID of a referral or result, default the newest record',
      data: "object: data of the event, default the entity's data",
    },
    run: (core, { body }) => {
      const { eventName, request } = readTrigger(body)
      const { trigger, list } = bindMethods(core, CONTROL_METHODS.deliveries)
      const eventUuid = trigger(eventName, request)
      return { eventUuid, deliveries: list().filter((delivery) => delivery.eventUuid === eventUuid).length }
    },
  },
  {
    method: 'POST',
    path: '/settled',
    description: 'waits until no delivery is being sent, then responds',
    run: async (core) => {
      await core.settled()
      return {}
    },
  },
]

const FAULT_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/faults',
    description: 'returns the faults that still apply to requests',
    run: (core) => ({ faults: core.faults.list() }),
  },
  {
    method: 'POST',
    path: '/faults',
    description:
      'applies a fault to the next request to a route, or to the requests that times, nth and probability select',
    body: { route: 'string: for example GET /v1/referrals/{uuid}, or *', ...FAULT_FIELDS },
    run: (core, { body }) => {
      const { route, fault, when } = readFault(body)
      return { id: core.faults.next(route, fault, when) }
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    description: 'removes every fault of requests and deliveries, and the request limit',
    run: (core) => core.faults.clear(),
  },
  {
    method: 'DELETE',
    path: '/faults/{id}',
    description: 'removes one fault',
    run: (core, { params }) => ({ removed: core.faults.remove(Number(params['id'])) }),
  },
  {
    method: 'POST',
    path: '/faults/assert-none-unused',
    description:
      'asserts that every fault of requests and deliveries was applied as often as its `times` requires; otherwise responds with 400 and lists the faults; `times: null` requires one application',
    run: (core) => assertNoUnusedFaults(core),
  },
  {
    method: 'PUT',
    path: '/quota',
    description: 'limits the requests to the API; requests above the limit get 429',
    body: {
      limit: 'integer: requests in each period',
      perMs: "integer: period in milliseconds of the fake's clock",
    },
    run: (core, { body }) => core.faults.quota(readQuota(body)),
  },
  {
    method: 'DELETE',
    path: '/quota',
    description: 'removes the request limit',
    run: (core) => core.faults.quota(null),
  },
]

const token = (
  path: string,
  description: string,
  run: (tokens: TokenMethods, body: Readonly<Record<string, unknown>>) => unknown,
  body?: Readonly<Record<string, string>>,
): ControlAction => ({
  method: 'POST',
  path: `/tokens${path}`,
  description,
  ...(body === undefined ? {} : { body }),
  run: (core, input) => run(new TokenMethods(core), input.body),
})

const TOKEN_ACTIONS: readonly ControlAction[] = [
  token('', 'issues a pair of tokens, as the client credentials grant does', (tokens) => tokens.issue()),
  token('/revoke-all', 'revokes every access token', (tokens) => tokens.revokeAll()),
  token('/revoke', 'revokes one access token', (tokens, body) => tokens.revoke(String(body['accessToken'])), {
    accessToken: 'string',
  }),
  token('/revoke-refresh-tokens', 'revokes every refresh token', (tokens) => tokens.revokeRefreshTokens()),
  token(
    '/rotate-signing-key',
    'changes the signing key: the API rejects older access tokens with INVALID_JWT_SIGNATURE',
    (tokens) => tokens.rotateSigningKey(),
  ),
  token(
    '/close-account',
    'closes the account: the token endpoint responds with error 102; access tokens stay valid',
    (tokens) => tokens.closeAccount(),
  ),
  token('/reopen-account', 'opens the account again', (tokens) => tokens.reopenAccount()),
]

const STATE_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/snapshot',
    description: 'returns a snapshot for POST /restore or the flag --seed',
    run: (core) => JSON.parse(snapshotToJson(takeSnapshot(core))),
  },
  {
    method: 'POST',
    path: '/restore',
    description: 'restores a snapshot',
    body: { format: 'string: `format` of the snapshot', state: 'string: `state` of the snapshot' },
    run: (core, { body }) => restoreSnapshot(core, snapshotFromJson(JSON.stringify(body))),
  },
  {
    method: 'PUT',
    path: '/options',
    description: 'changes options of the running fake; null restores the default',
    body: Object.fromEntries(
      Object.entries(OPTION_RULES)
        .filter(([name]) => isChangeable(name))
        .map(([name, { words }]) => [name, words]),
    ),
    run: (core, { body }) => {
      const changes = Object.entries(body).map(([name, value]) => [name, value ?? undefined])
      core.changeOptions(Object.fromEntries(changes))
    },
  },
  {
    method: 'POST',
    path: '/reset',
    description: 'deletes all data and starts again with the same options; only access tokens stay valid',
    run: (core) => core.reset(),
  },
]

/** Actions on the clock, the journal, faults, tokens, snapshots and options. */
export const SERVICE_ACTIONS: readonly ControlAction[] = [
  ...CLOCK_ACTIONS,
  ...JOURNAL_ACTIONS,
  ...FAULT_ACTIONS,
  ...TOKEN_ACTIONS,
  ...STATE_ACTIONS,
]

function clock({ context }: FakeCore): { readonly now: number; readonly iso: string } {
  return { now: context.clock.now(), iso: context.clock.iso() }
}

function summary(core: FakeCore): unknown {
  const { api, auth, documents } = core.origins
  const { orders, webhooks, providers, server, faults } = core.state
  return {
    baseUrl: api,
    authUrl: auth,
    documentsUrl: documents,
    controlUrl: core.controlUrl,
    now: core.context.clock.iso(),
    clock: server.clock.stoppedAt === null ? 'running' : 'stopped',
    options: { ...core.options, clientSecret: undefined, signingSecret: undefined },
    counts: {
      referrals: orders.referralLists.own.length,
      results: orders.resultLists.own.length,
      providers: providers.records.filter(({ organisation }) => organisation === 'own').length,
      webhooks: webhooks.lists.own.length,
      deliveries: webhooks.deliveries.size,
      requests: server.requests.count,
      jobs: server.jobs.length,
      faults: faults.rules.length,
    },
  }
}
