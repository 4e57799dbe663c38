import type { FakeCall, FakeContext, HandlerTable } from '../server/context.js'
import { listPage, standardPages } from '../server/lists.js'
import { findResult } from './results-arrivals.js'
import { resultView } from './results-view.js'

/** §4.2 */
export const handlers: HandlerTable = {
  'results.retrieve': (context, call) => resultView(context, findResult(context, call.params['uuid'])),
  'results.list': listResults,
}

function listResults(context: FakeContext, call: FakeCall): unknown {
  const page = listPage(
    call,
    standardPages('results.list'),
    { rows: context.state.orders.resultLists.own, position: (row) => row.sequence },
    { sortDefault: 'asc' },
  )
  const key = context.options.resultListWrapper === 'data' ? 'data' : 'results'
  return {
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
    [key]: page.items.map((row) => resultView(context, row)),
  }
}
