import { encryptedTokenStore, type Order, type OrderLedger, PathologyClient } from 'pathology-sdk'
import { CANARIES } from '../support/canary-values.js'
import { medicareOrder, order, PROVIDER_NUMBER, UUID } from '../support/samples.js'
import type { Provocation, World } from './world.js'

const credentials = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'client-1',
  clientSecret: CANARIES.clientSecret,
}

const wrongOptions: Readonly<Record<string, object>> = {
  'credentials in the URL': { baseUrl: `https://u:${CANARIES.clientSecret}@api.example.com` },
  'a secret for a URL': { authUrl: CANARIES.clientSecret },
  'a query in the URL': { baseUrl: `https://api.example.com/?token=${CANARIES.accessToken}` },
  'a secret with a line break': { clientSecret: `${CANARIES.clientSecret}\n` },
  'a client id with a colon': { clientId: `client:${CANARIES.clientSecret}` },
  'a secret for a version': { apiVersion: CANARIES.clientSecret },
  'a secret for a number': { timeout: CANARIES.clientSecret },
  'a secret for a store': { tokenStore: CANARIES.refreshToken },
  'a name in the User-Agent': { appInfo: { name: `${CANARIES.firstName}\n`, version: CANARIES.lastName } },
  'an unknown option': { secret: CANARIES.clientSecret },
}

/** Any value, also one that the types forbid. */
function untyped<T>(value: unknown): T {
  return value as T
}

/** A ledger whose errors repeat all data that it could know. */
const confessing = (): OrderLedger => {
  const fail = (): never => {
    throw new Error(Object.values(CANARIES).join(' '))
  }
  return {
    ...{ claim: fail, mark: fail, unmark: fail, renew: fail },
    ...{ record: fail, resolve: fail, prune: fail },
  }
}

const wrongCalls: Readonly<Record<string, (world: World) => unknown>> = {
  'an order with a name for a time, and a card number for a key': ({ client }) =>
    client().referrals.create(order(), { orderKey: CANARIES.medicareCard, since: CANARIES.lastName }),
  'a token with a line break in a header of a call': ({ client }) =>
    client().referrals.retrieve(UUID, { headers: { 'x-trace': `${CANARIES.accessToken}\r\n` } }),
  'an own Authorization header': ({ client }) =>
    client().referrals.retrieve(UUID, { headers: { authorization: `Bearer ${CANARIES.accessToken}` } }),
  'an invalid encryption key': () => encryptedTokenStore(new Map(), CANARIES.clientSecret),
}

const strangeOrders: Readonly<Record<string, unknown>> = {
  'everything of the wrong kind': {
    ...Object.fromEntries(Object.keys(medicareOrder()).map((field) => [field, [CANARIES.clinicalNotes]])),
  },
  'details in the wrong form': medicareOrder(
    untyped<Partial<Order>>({
      dob: `born ${CANARIES.dob}`,
      gender: CANARIES.firstName,
      medicareCardNumber: `${CANARIES.medicareCard}9`,
      email: `${CANARIES.email} (home)`,
    }),
  ),
  'unknown fields': {
    ...order(),
    nickname: CANARIES.firstName,
    notes: CANARIES.clinicalNotes,
  },
  'a text for an order': `${CANARIES.firstName} ${CANARIES.lastName}`,
  'a cycle': order({ metadata: cyclic() }),
  'a big integer': order({ metadata: { card: BigInt(CANARIES.medicareCard) } }),
  'too large a body': order({ metadata: { notes: CANARIES.clinicalNotes.repeat(60_000) } }),
}

function cyclic(): Record<string, unknown> {
  const metadata: Record<string, unknown> = { name: CANARIES.lastName }
  metadata['self'] = metadata
  return metadata
}

const strangeCalls: Readonly<Record<string, (world: World) => unknown>> = {
  'a name for an id': ({ client }) => client().referrals.retrieve(CANARIES.lastName),
  'a name for a provider number': ({ client }) => client().providers.retrieve(CANARIES.lastName),
  'a lookup with an empty order key': ({ client }) => client().referrals.findByOrderKey(' '),
  'an invalid signature': ({ client }) =>
    client().providers.save({
      providerNumber: PROVIDER_NUMBER,
      name: CANARIES.lastName,
      address: CANARIES.street,
      encodedSignature: CANARIES.clinicalNotes,
    }),
  'a patch of the wrong kind': ({ client }) =>
    client().referrals.update(UUID, untyped({ firstName: [CANARIES.firstName], dob: CANARIES.phone })),
  'a subscription with credentials in its URL': ({ client }) =>
    client().webhooks.create({
      url: `https://u:${CANARIES.signingSecret}@hooks.example.com/`,
      events: ['referral.issued'],
    }),
  'a search with an unknown filter': ({ client }) =>
    client()
      .centres.list(untyped({ patient: CANARIES.lastName, states: [CANARIES.firstName] }))
      .toArray(),
  'an invalid cursor': ({ client }) =>
    client()
      .referrals.list({ cursor: untyped([CANARIES.lastName]) })
      .toArray(),
}

/** Errors that are found before anything is sent. */
export const BEFORE_SENDING: readonly Provocation[] = [
  ...Object.entries(wrongOptions).map(([title, options]) => ({
    ...{ title, error: 'ConfigurationError' as const },
    provoke: () => new PathologyClient({ ...credentials, ...options }),
  })),
  ...Object.entries(wrongCalls).map(([title, provoke]) => ({
    title,
    error: 'ConfigurationError' as const,
    provoke,
  })),
  ...Object.entries(strangeOrders).map(([what, given]) => ({
    ...{ title: `an order: ${what}`, error: 'InvalidRequestError' as const },
    provoke: ({ client }: World) => client().referrals.create(untyped(given)),
  })),
  ...Object.entries(strangeCalls).map(([title, provoke]) => ({
    title,
    error: 'InvalidRequestError' as const,
    provoke,
  })),
  {
    title: 'a ledger that fails',
    error: 'OrderLedgerError',
    provoke: ({ client }) =>
      client({ orderLedger: confessing() }).referrals.create(order(), { orderKey: 'job-1' }),
  },
]
