import type { ControlAction } from '../control/control-action.js'
import { listReferrals, listResults, showReferral, showResult } from './orders.js'
import { choices, overview, showDirectory, showFaults } from './overview.js'
import { placeSampleOrder } from './sample-order.js'
import { listDeliveries, listRequests, listWebhooks, showDelivery, showRequest } from './traffic.js'

/**
 * What the console reads: short, paged and cheap with 100,000 referrals. Nothing here counts as a step of the fake, so
 * that a console which reads whenever something changed does not keep itself busy.
 */
const CONSOLE_READS: readonly Omit<ControlAction, 'method'>[] = [
  {
    path: '/console/overview',
    description: 'counts, clock and what happens next',
    run: (target) => overview(target),
  },
  {
    path: '/console/choices',
    description: 'routes, statuses and options, for forms',
    run: (target) => choices(target),
  },
  {
    path: '/console/referrals',
    description: 'referrals, newest first; ?status= &search= &before= &count=',
    run: ({ core }, { query }) => listReferrals(core.context, query),
  },
  {
    path: '/console/referrals/{uuid}',
    description: 'one referral with its timeline and the moves it can make',
    run: ({ core }, { params }) => showReferral(core.context, params['uuid']),
  },
  {
    path: '/console/results',
    description: 'results, newest first; ?status= &search= &before= &count=',
    run: ({ core }, { query }) => listResults(core.context, query),
  },
  {
    path: '/console/results/{uuid}',
    description: 'one result with its timeline and the moves it can make',
    run: ({ core }, { params }) => showResult(core.context, params['uuid']),
  },
  {
    path: '/console/deliveries',
    description: 'deliveries, newest first; ?status= &search= &before= &count=',
    run: ({ core }, { query }) => listDeliveries(core.context, query),
  },
  {
    path: '/console/deliveries/{id}',
    description: 'one delivery, with whether each signature fits',
    run: ({ core }, { params }) => showDelivery(core.context, Number(params['id'])),
  },
  {
    path: '/console/webhooks',
    description: "the organisation's webhooks",
    run: ({ core }) => listWebhooks(core.context),
  },
  {
    path: '/console/requests',
    description: 'requests, newest first; ?show=errors, faults or changes &search= &before= &count=',
    run: ({ core }, { query }) => listRequests(core.context, query),
  },
  {
    path: '/console/requests/{number}',
    description: 'one request with its headers and body',
    run: ({ core }, { params }) => showRequest(core.context, Number(params['number'])),
  },
  {
    path: '/console/faults',
    description: 'faults of requests and deliveries in waiting, and the quota',
    run: (target) => showFaults(target),
  },
  {
    path: '/console/directory',
    description: 'centres by status, refreshes and providers with their routing',
    run: ({ core }) => showDirectory(core.context),
  },
]

/** What the console adds to the control interface. */
export const CONSOLE_ACTIONS: readonly ControlAction[] = [
  ...CONSOLE_READS.map((row): ControlAction => ({ ...row, method: 'GET' })),
  {
    method: 'POST',
    path: '/console/order',
    description: 'orders something for an invented patient, over the API',
    run: (target) => placeSampleOrder(target),
  },
]
