import type { FakeCore } from '../core/fake-core.js'
import { snapshotFromJson, snapshotToJson } from '../core/snapshot.js'
import type { FakePathologyService } from '../fake-pathology-service.js'
import { FAULT_FIELDS, readFault, readQuota, readTrigger } from './action-input.js'
import type { ControlAction } from './control-action.js'

const CLOCK = {
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
    description: "the fake's clock",
    run: ({ fake }) => ({ now: fake.clock.now(), iso: fake.clock.iso() }),
  },
  {
    method: 'POST',
    path: '/clock/advance',
    description: 'moves the clock ahead; everything due on the way runs, deliveries included',
    body: CLOCK,
    run: async ({ fake }, { body }) => {
      await fake.clock.advance(body)
      return { now: fake.clock.now(), iso: fake.clock.iso() }
    },
  },
]

const JOURNAL_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/state',
    description: 'where the fake is, its clock, options and counts',
    run: ({ fake, core }) => summary(fake, core),
  },
  {
    method: 'GET',
    path: '/requests',
    description: 'the request journal, oldest first; ?after=N leaves out what came up to number N',
    run: ({ fake }, { query }) => {
      const after = Number(query.get('after') ?? 0)
      return { count: fake.requests.count, requests: fake.requests.filter((entry) => entry.number > after) }
    },
  },
  {
    method: 'POST',
    path: '/trigger',
    description: 'sends any event, without changing what it is about',
    body: {
      eventName: 'string',
      entityUuid: 'string: a referral or result, default the newest',
      data: 'object: in place of its own',
    },
    run: ({ fake }, { body }) => {
      const { eventName, request } = readTrigger(body)
      return { eventUuid: fake.trigger(eventName, request) }
    },
  },
  {
    method: 'POST',
    path: '/settled',
    description: 'answers once no delivery is on its way over the network',
    run: async ({ fake }) => {
      await fake.settled()
      return {}
    },
  },
]

const FAULT_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/faults',
    description: 'every fault that still waits for a request',
    run: ({ fake }) => ({ faults: fake.faults.list() }),
  },
  {
    method: 'POST',
    path: '/faults',
    description: 'the next request to a route meets a fault',
    body: { route: 'string: for example GET /v1/referrals/{uuid}, or *', ...FAULT_FIELDS },
    run: ({ fake }, { body }) => {
      const { route, fault, when } = readFault(body)
      return { id: fake.faults.next(route, fault, when) }
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    description: 'takes back every fault and the quota',
    run: ({ fake }) => fake.faults.clear(),
  },
  {
    method: 'DELETE',
    path: '/faults/{id}',
    description: 'takes back one fault',
    run: ({ fake }, { params }) => ({ removed: fake.faults.remove(Number(params['id'])) }),
  },
  {
    method: 'POST',
    path: '/faults/assert-none-unused',
    description: 'an error that names each fault that no request met',
    run: ({ fake }) => fake.assertNoUnusedFaults(),
  },
  {
    method: 'PUT',
    path: '/quota',
    description: 'answers 429 to requests above a limit',
    body: { limit: 'whole number', perMs: 'milliseconds on the fake clock' },
    run: ({ fake }, { body }) => fake.faults.quota(readQuota(body)),
  },
  {
    method: 'DELETE',
    path: '/quota',
    description: 'lifts the limit',
    run: ({ fake }) => fake.faults.quota(null),
  },
]

const token = (
  path: string,
  description: string,
  run: ControlAction['run'],
  body?: Readonly<Record<string, string>>,
): ControlAction => ({
  method: 'POST',
  path: `/tokens${path}`,
  description,
  ...(body === undefined ? {} : { body }),
  run,
})

const TOKEN_ACTIONS: readonly ControlAction[] = [
  token('', 'a pair of tokens, as the client credentials grant would give it', ({ fake }) =>
    fake.tokens.issue(),
  ),
  token('/revoke-all', 'revokes every access token', ({ fake }) => fake.tokens.revokeAll()),
  token(
    '/revoke',
    'revokes one access token',
    ({ fake }, { body }) => fake.tokens.revoke(String(body['accessToken'])),
    {
      accessToken: 'string',
    },
  ),
  token('/revoke-refresh-tokens', 'revokes every refresh token', ({ fake }) =>
    fake.tokens.revokeRefreshTokens(),
  ),
  token('/rotate-signing-key', 'older access tokens give INVALID_JWT_SIGNATURE', ({ fake }) =>
    fake.tokens.rotateSigningKey(),
  ),
  token('/close-account', 'the token endpoint gives error 102', ({ fake }) => fake.tokens.closeAccount()),
  token('/reopen-account', 'the account is open again', ({ fake }) => fake.tokens.reopenAccount()),
]

const STATE_ACTIONS: readonly ControlAction[] = [
  {
    method: 'GET',
    path: '/snapshot',
    description: 'everything the fake remembers, to be put back by POST /restore or served by --seed',
    run: ({ fake }) => JSON.parse(snapshotToJson(fake.snapshot())),
  },
  {
    method: 'POST',
    path: '/restore',
    description: 'puts the fake back to a snapshot',
    body: { format: "string: the snapshot's", state: "string: the snapshot's" },
    run: ({ fake }, { body }) => fake.restore(snapshotFromJson(JSON.stringify(body))),
  },
  {
    method: 'POST',
    path: '/reset',
    description: 'begins anew, as if just started',
    run: ({ fake }) => fake.reset(),
  },
]

/** The actions of the kernel itself. */
export const KERNEL_ACTIONS: readonly ControlAction[] = [
  ...CLOCK_ACTIONS,
  ...JOURNAL_ACTIONS,
  ...FAULT_ACTIONS,
  ...TOKEN_ACTIONS,
  ...STATE_ACTIONS,
]

function summary(fake: FakePathologyService, core: FakeCore): unknown {
  const { baseUrl, authUrl, controlUrl } = fake
  const { orders, webhooks, providers, kernel } = core.state
  return {
    baseUrl,
    authUrl,
    documentsUrl: core.origins.documents,
    controlUrl,
    now: fake.clock.iso(),
    clock: kernel.clock.standsAt === null ? 'following' : 'standing',
    options: { ...core.options, clientSecret: undefined, signingSecret: undefined },
    counts: {
      referrals: orders.referralLists.own.length,
      results: orders.resultLists.own.length,
      providers: providers.records.length,
      webhooks: webhooks.lists.own.length,
      deliveries: webhooks.deliveries.size,
      requests: kernel.requests.count,
      jobs: kernel.jobs.length,
      faults: kernel.faults.rules.length,
    },
  }
}
