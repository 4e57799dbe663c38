import type { FakeCore } from '../core/fake-core.js'
import { restoreSnapshot, snapshotFromJson, snapshotToJson, takeSnapshot } from '../core/snapshot.js'
import { checkQuota } from '../faults/rate-limit.js'
import { isChangeable } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'
import { FAULT_FIELDS, readFault } from './action-input.js'
import { action, type ControlAction, type ControlInput } from './control-action.js'
import { assertNoUnusedFaults, bindMethods, CONTROL_METHODS } from './control-methods.js'
import { TokenMethods } from './token-methods.js'

const number = 'number'
const CLOCK_FIELDS = { days: number, hours: number, minutes: number, seconds: number, milliseconds: number }

const token = (
  path: string,
  description: string,
  run: (tokens: TokenMethods, body: ControlInput['body']) => unknown,
  body?: ControlAction['body'],
): ControlAction =>
  action(`POST /tokens${path}`, description, (core, input) => run(new TokenMethods(core), input.body), body)

/** Actions on the clock, the journal, faults, tokens, snapshots and options. */
export const SERVICE_ACTIONS: readonly ControlAction[] = [
  action('GET /clock', "returns the time of the fake's clock", clock),
  action(
    'POST /clock/advance',
    'advances the clock and runs everything that becomes due, including deliveries',
    async (core, { body }) => {
      await core.advance(body)
      return clock(core)
    },
    CLOCK_FIELDS,
  ),
  action(
    'GET /state',
    'returns the URLs, the time, the options without secrets, and the numbers of records',
    summary,
  ),
  action(
    'GET /requests',
    'returns the request journal, oldest first; ?after=N returns only requests after number N',
    (core, { query }) => {
      const after = Number(query.get('after') ?? 0)
      if (!Number.isSafeInteger(after)) throw new RangeError('after must be the number of a request')
      const requests = core.requests().filter((entry) => entry.number > after)
      return { count: core.state.server.requests.count, requests }
    },
  ),
  action(
    'POST /trigger',
    'sends an event without a change of its record; returns eventUuid and deliveries, the number of added deliveries',
    (core, { body: { eventName, ...request } }) => {
      const { trigger, list } = bindMethods(core, CONTROL_METHODS.deliveries)
      const eventUuid = trigger(typeof eventName === 'string' ? eventName : '', request)
      return { eventUuid, deliveries: list().filter((delivery) => delivery.eventUuid === eventUuid).length }
    },
    {
      eventName: 'string',
      entityUuid: 'string: UUID of a referral or result, default the newest record',
      data: "object: data of the event, default the entity's data",
    },
  ),
  action('POST /settled', 'waits until no delivery is being sent, then responds', (core) => core.settled()),
  action('GET /faults', 'returns the faults that still apply to requests', (core) => ({
    faults: core.faults.list(),
  })),
  action(
    'POST /faults',
    'applies a fault to the next request to a route, or to the requests that times, nth and probability select',
    (core, { body }) => {
      const { route, fault, when } = readFault(body)
      return { id: core.faults.next(route, fault, when) }
    },
    { route: 'string: for example GET /v1/referrals/{uuid}, or *', ...FAULT_FIELDS },
  ),
  action('DELETE /faults', 'removes every fault of requests and deliveries, and the request limit', (core) =>
    core.faults.clear(),
  ),
  action('DELETE /faults/{id}', 'removes one fault', (core, { params }) => ({
    removed: core.faults.remove(Number(params['id'])),
  })),
  action(
    'POST /faults/assert-none-unused',
    'asserts that every fault of requests and deliveries was applied as often as its `times` requires; otherwise responds with 400 and lists the faults; `times: null` requires one application',
    assertNoUnusedFaults,
  ),
  action(
    'PUT /quota',
    'limits the requests to the API; requests above the limit get 429',
    (core, { body }) => {
      checkQuota(body)
      core.faults.quota(body)
    },
    {
      limit: 'integer: requests in each period',
      perMs: "integer: period in milliseconds of the fake's clock",
    },
  ),
  action('DELETE /quota', 'removes the request limit', (core) => core.faults.quota(null)),
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
  action('GET /snapshot', 'returns a snapshot for POST /restore or the flag --seed', (core) =>
    JSON.parse(snapshotToJson(takeSnapshot(core))),
  ),
  action(
    'POST /restore',
    'restores a snapshot',
    (core, { body }) => restoreSnapshot(core, snapshotFromJson(JSON.stringify(body))),
    { format: 'string: `format` of the snapshot', state: 'string: `state` of the snapshot' },
  ),
  action(
    'PUT /options',
    'changes options of the running fake; null restores the default',
    (core, { body }) => {
      const changes = Object.entries(body).map(([name, value]) => [name, value ?? undefined])
      core.changeOptions(Object.fromEntries(changes))
    },
    Object.fromEntries(
      Object.entries(OPTION_RULES)
        .filter(([name]) => isChangeable(name))
        .map(([name, { words }]) => [name, words]),
    ),
  ),
  action(
    'POST /reset',
    'deletes all data and starts again with the same options; only access tokens stay valid',
    (core) => core.reset(),
  ),
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
