import type { FetchLike, PathologyClient } from 'pathology-sdk'
import { CANARIES } from '../support/canary-values.js'
import { medicareOrder, referral, UUID } from '../support/samples.js'
import { TOKEN_ROUTE } from './hostile-service.js'
import { answered, type Provocation } from './world.js'

/** Shapes of a code, a status and a request ID. A detail in the shape of one is shown as one. */
const CODE_OR_ID = /^(?:[A-Z][A-Z0-9_]+|(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9.-]+)$/

/** Each secret and each detail in forms that look like words of the service, without those in the shape of a code or ID. */
const FORMS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(CANARIES).map(([name, canary]) => {
    const forms = [canary, canary.toUpperCase(), canary.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')]
    return [name, [...new Set(forms)].filter((form) => !CODE_OR_ID.test(form))]
  }),
)

const place = (client: PathologyClient): unknown =>
  client.referrals.create(
    medicareOrder({
      email: CANARIES.email,
      phone: CANARIES.phone,
      metadata: { notes: CANARIES.clinicalNotes, [CANARIES.lastName]: CANARIES.street },
    }),
    { maxRetries: 0 },
  )
const read = (client: PathologyClient): unknown => client.referrals.retrieve(UUID)

type Row = readonly [title: string, canary: string]

const rows: readonly Row[] = Object.entries(FORMS).flatMap(([name, forms]) =>
  forms.map((form, index): Row => [`${name}, form ${index}`, form]),
)

/** Parts of a response that can contain a detail, besides its messages. */
const refusals: Provocation[] = rows.flatMap(([title, canary]) => {
  const headers = { 'x-request-id': canary, 'x-correlation-id': canary }
  const refusal = {
    status: 400,
    statusText: canary,
    headers,
    json: { error: true, code: canary, errorList: [] },
  }
  const line = {
    ...refusal,
    json: { ...refusal.json, message: `is not valid\n\u001b[31m${canary}\u2028\u202e` },
  }
  return [
    answered(`an order: ${title}: code and id`, 'BadRequestError', line, place),
    ...(canary.includes('_')
      ? []
      : [answered(`a read: ${title}: code and id`, 'BadRequestError', line, read)]),
  ]
})

/** A type is kept by its shape, which a single name has too. */
const TYPE = /^[A-Z][A-Za-z\d]{2,59}$/

const tokens: Provocation[] = rows.flatMap(([title, canary]) =>
  [{ code: canary }, { error: canary }, ...(TYPE.test(canary) ? [] : [{ code: '999', type: canary }])].map(
    (words, index): Provocation => ({
      title: `tokens, ${index}: ${title}`,
      error: 'TokenError',
      provoke: ({ service, client }) => {
        service.on(TOKEN_ROUTE, { status: 400, json: { ...words, message: canary } })
        return read(client())
      },
    }),
  ),
)

const statuses: Provocation[] = rows.map(([title, canary]) => ({
  title: `a status: ${title}`,
  error: 'TimeoutError',
  provoke: ({ service, client }) => {
    service.on('*', { json: referral({ uuid: UUID, status: canary }) })
    return client().referrals.waitFor(UUID, { status: 'REFUNDED', timeout: 100 })
  },
}))

/** Names of fields, options and headers that are values. */
const names: Provocation[] = Object.entries(CANARIES).flatMap(([name, canary]): Provocation[] => [
  {
    title: `${name} as the name of a field`,
    error: 'InvalidRequestError',
    provoke: ({ client }) => client().referrals.validate({ ...medicareOrder(), [canary]: 1 }),
  },
  {
    title: `${name} as the name of a nested field`,
    error: 'InvalidRequestError',
    provoke: ({ client }) =>
      client().referrals.create(
        medicareOrder({ address: { ...medicareOrder().address, [canary]: canary } } as object),
      ),
  },
  {
    title: `${name} as the name of a filter`,
    error: 'InvalidRequestError',
    provoke: ({ client }) =>
      client()
        .centres.list({ [canary]: canary } as object)
        .toArray(),
  },
  {
    title: `${name} as the name of an option`,
    error: 'ConfigurationError',
    provoke: ({ client }) => client().referrals.retrieve(UUID, { [canary]: 1 } as object),
  },
  {
    title: `${name} as the name of a header`,
    error: 'ConfigurationError',
    provoke: ({ client }) =>
      client().referrals.retrieve(UUID, { headers: { [canary.replaceAll(/\W/g, '')]: `${canary}\n` } }),
  },
])

const failing =
  (canary: string): FetchLike =>
  async (input, init) => {
    if (input.endsWith('/oauth/token')) return fetch(input, init)
    const error = Object.assign(new Error(canary), {
      name: canary,
      code: canary.toUpperCase(),
      hostname: canary,
    })
    throw new AggregateError([error], `cannot reach ${canary}`, { cause: error })
  }

const connections: Provocation[] = Object.entries(CANARIES).map(([name, canary]) =>
  answered(`${name} as the name and code of a fetch's error`, 'ConnectionError', {}, read, {
    fetch: failing(canary),
  }),
)

const candidates: Provocation = {
  title: 'a lost order, and a list with names for ids',
  error: 'OrderOutcomeUnknownError',
  provoke: ({ service, client }) => {
    const { firstName, lastName } = CANARIES
    const { metadata: _, ...another } = referral({
      uuid: `${firstName}-${lastName}`,
      createdAt: new Date().toISOString(),
    })
    service.on('POST /v1/referrals', { fault: 'reset' })
    service.on('GET /v1/referrals', { json: { referrals: [another] } })
    return client().referrals.create(medicareOrder())
  },
}

/** Errors of a service that returns details in place of a code, an id, a status or a name. */
export const ECHOES: readonly Provocation[] = [
  ...refusals,
  ...tokens,
  ...statuses,
  ...names,
  ...connections,
  candidates,
]
