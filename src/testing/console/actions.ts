import type { ControlAction } from '../control/control-action.js'
import { listCentres, showCentre, showDirectory } from './directory.js'
import { listReferrals, listResults, showReferral, showResult } from './orders.js'
import { choices, overview, showFaults, showOptions } from './overview.js'
import { ORDER_FIELDS, placeOrder, SEND_FIELDS, sampleOrder, sendRequest } from './send.js'
import { listDeliveries, listRequests, listWebhooks, showDelivery, showRequest } from './traffic.js'

/**
 * Read actions of the console. Their responses are short or paged, so that the console is fast with 100,000 referrals.
 * They do not send a change event, because the console reads again after each change event.
 */
const CONSOLE_READS: readonly Omit<ControlAction, 'method'>[] = [
  {
    path: '/console/overview',
    description: 'returns counts, the clock, the last events and the next scheduled steps',
    run: (core) => overview(core),
  },
  {
    path: '/console/choices',
    description: 'returns routes, statuses, tests and bundles, for forms',
    run: (core) => choices(core),
  },
  {
    path: '/console/options',
    description: 'returns the options, without secrets',
    run: (core) => showOptions(core),
  },
  {
    path: '/console/referrals',
    description: 'returns referrals, newest first; ?status= &search= &before= &count=',
    run: (core, { query }) => listReferrals(core.context, query),
  },
  {
    path: '/console/referrals/{uuid}',
    description: 'returns a referral with its timeline and its possible transitions',
    run: (core, { params }) => showReferral(core.context, params['uuid']),
  },
  {
    path: '/console/results',
    description: 'returns results, newest first; ?status= &search= &before= &count=',
    run: (core, { query }) => listResults(core.context, query),
  },
  {
    path: '/console/results/{uuid}',
    description: 'returns a result with its timeline and its possible changes',
    run: (core, { params }) => showResult(core.context, params['uuid']),
  },
  {
    path: '/console/deliveries',
    description: 'returns deliveries, newest first; ?status= &event= &url= &search= &before= &count=',
    run: (core, { query }) => listDeliveries(core.context, query),
  },
  {
    path: '/console/deliveries/{id}',
    description: 'returns a delivery with its attempts, and whether the signature of each attempt is valid',
    run: (core, { params }) => showDelivery(core.context, Number(params['id'])),
  },
  {
    path: '/console/webhooks',
    description: "returns the organisation's newest 100 webhooks, and the number of all its webhooks",
    run: (core) => listWebhooks(core.context),
  },
  {
    path: '/console/requests',
    description:
      'returns requests, newest first; ?show=errors, faults, changes or the first digit of a status, &route= &search= &before= &count=',
    run: (core, { query }) => listRequests(core.context, query),
  },
  {
    path: '/console/requests/{number}',
    description: 'returns a request with the headers and bodies of request and response',
    run: (core, { params }) => showRequest(core.context, Number(params['number'])),
  },
  {
    path: '/console/faults',
    description: 'returns the pending faults of requests and deliveries, and the request limit',
    run: (core) => showFaults(core),
  },
  {
    path: '/console/directory',
    description: 'returns numbers of centres by status, refreshes, and providers with their routing',
    run: (core) => showDirectory(core.context),
  },
  {
    path: '/console/centres',
    description: 'returns centres by name; ?status= &search= &before= &count=',
    run: (core, { query }) => listCentres(core.context, query),
  },
  {
    path: '/console/centres/{uuid}',
    description: 'returns a centre with its opening hours as text',
    run: (core, { params }) => showCentre(core.context, params['uuid']),
  },
]

/** Actions of the console in the control API. */
export const CONSOLE_ACTIONS: readonly ControlAction[] = [
  ...CONSOLE_READS.map((row): ControlAction => ({ ...row, method: 'GET' })),
  {
    method: 'POST',
    path: '/console/order',
    description: 'places an order over the API; the fake invents missing fields',
    body: ORDER_FIELDS,
    run: (core, { body }) => placeOrder(core, body),
  },
  {
    method: 'POST',
    path: '/console/sample-order',
    description: 'invents an order without placing it',
    run: (core) => sampleOrder(core),
  },
  {
    method: 'POST',
    path: '/console/send',
    description: 'sends a request over the API as a client; returns its number in the journal',
    body: SEND_FIELDS,
    run: (core, { body }) => sendRequest(core, body),
  },
]
