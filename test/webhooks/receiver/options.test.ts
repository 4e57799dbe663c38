import { createWebhookReceiver, PathologyError, type WebhookReceiverOptions } from 'pathology-sdk/webhooks'
import { expect, it, vi } from 'vitest'
import { deliveryOf, eventOf } from '../support.js'
import { SECRET } from '../verification/vectors.js'

it('createWebhookReceiver accepts a handler for an event name that this version does not know (§6)', async () => {
  const handled = vi.fn()
  const warn = vi.fn()
  const receiver = createWebhookReceiver({
    secret: SECRET,
    on: { 'result.second_opinion': handled, 'payment.failed': handled, '*': handled } as object,
    logger: { warn },
  })
  expect(warn.mock.calls).toEqual(
    ['result.second_opinion', 'payment.failed'].map((name) => [
      `createWebhookReceiver: on['${name}'] is not an event name known to this version of pathology-sdk; check its spelling`,
    ]),
  )
  const event = { ...eventOf(), eventName: 'result.second_opinion' }
  expect(await receiver.receive(deliveryOf(event as never))).toMatchObject({ status: 200 })
  expect(handled).toHaveBeenCalledOnce()
})

const on = { '*': () => undefined }
const enqueue = () => undefined
it.each<[string, object, RegExp]>([
  ['no secret', { on }, /secret is missing/],
  ['an empty secret', { secret: '', on }, /secret is missing/],
  ['a padded secret', { secret: `${SECRET}\n`, on }, /white space/],
  ['no handler', { secret: SECRET }, /on must have at least one handler/],
  [
    'handlers that are not functions',
    { secret: SECRET, on: { '*': 'text' } },
    /on\['\*'\] must be a function/,
  ],
  [
    'an option it does not have',
    { secret: SECRET, on, patience: 5 },
    /patience is not an option of createWebhookReceiver$/,
  ],
  ['an option in another case', { secret: SECRET, onerror: on['*'] }, /did you mean onError\?$/],
  ['handlers that are nothing', { secret: SECRET, on: null }, /on must be an object of handlers/],
  ['handlers in a list', { secret: SECRET, on: [on['*']] }, /on must be an object of handlers/],
  ...(
    [
      ['Result.Complete', 'result.complete'],
      ['result.compelte', 'result.complete'],
      ['referral.isued', 'referral.issued'],
      ['referal.issued', 'referral.issued'],
      ['results.*', 'result.*'],
      ['collection_centers.updated', 'collection_centres.updated'],
    ] as const
  ).map(([name, meant]): [string, object, RegExp] => [
    `the name ${name} (§6)`,
    { secret: SECRET, on: { [name]: on['*'] } },
    new RegExp(`is not an event name; did you mean ${meant.replace('*', '\\*')}\\?$`),
  ]),
  ...(['complete', '', 'centre.*', 'Invoice.Paid'] as const).map((name): [string, object, RegExp] => [
    `the name '${name}' (§6)`,
    { secret: SECRET, on: { ...on, [name]: on['*'] } },
    /is not an event name: use a name such as referral\.issued/,
  ]),
  ['a mode it does not have', { secret: SECRET, on, mode: 'later' }, /mode must be 'inline' or 'enqueue'/],
  ['enqueue without the function', { secret: SECRET, on, mode: 'enqueue' }, /requires the function enqueue/],
  [
    'inline with the function',
    { secret: SECRET, on, mode: 'inline', enqueue },
    /mode .inline. does not accept it/,
  ],
  ['a timeout of 0', { secret: SECRET, on, timeout: 0 }, /timeout must be an integer/],
  ['a timeout longer than that of the service (§8)', { secret: SECRET, on, timeout: 3_001 }, /at most 3000/],
  ['a limit that is not a number', { secret: SECRET, on, maxBodyBytes: Number.NaN }, /maxBodyBytes must be/],
  ['a time of a fraction', { secret: SECRET, on, dedupeTtl: 0.5 }, /dedupeTtl must be/],
  ['half a store', { secret: SECRET, on, dedupe: { claim: () => true } }, /claim and release/],
  [
    'a store with confirm and without isConfirmed',
    { secret: SECRET, on, dedupe: { claim: on['*'], release: on['*'], confirm: on['*'] } },
    /both confirm and isConfirmed/,
  ],
  ['a hook that is not a function', { secret: SECRET, on, onError: 'log' }, /onError must be a function/],
])('createWebhookReceiver rejects %s', (_title, options, message) => {
  // The types forbid these; plain JavaScript does not.
  const create = () => createWebhookReceiver(options as WebhookReceiverOptions)
  expect(create).toThrow(PathologyError)
  expect(create).toThrow(message)
})

it.each([null, undefined, 'secret', 5, [SECRET]])(
  'createWebhookReceiver rejects %j as its options',
  (options) => {
    const create = () => createWebhookReceiver(options as never)
    expect(create).toThrow(PathologyError)
    expect(create).toThrow('the options of createWebhookReceiver must be an object')
  },
)
