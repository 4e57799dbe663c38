import { isPathologyError } from '../../common/errors.js'
import type { Price } from '../../contract/types.js'
import type { CommandRow } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { formatOf, type RowOptions, writeJson, writeRows } from '../shared/output.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'

interface PriceOptions extends RowOptions, EnvironmentOptions {
  readonly test?: readonly string[]
  readonly bundle?: string
}

interface PriceRow {
  readonly item: string
  readonly cents: number
  readonly dollars: string
}

export const commands: readonly CommandRow[] = [
  {
    prints: 'rows',
    options: [
      ['--test <ids...>', 'test ids'],
      ['--bundle <id>', "a bundle's id"],
    ],
    examples: ['price --test full-blood-count lipid-panel'],
    run: calculate,
  },
]

async function calculate(terminal: Terminal, options: PriceOptions): Promise<undefined> {
  const { test: tests, bundle: bundleId } = options
  if (tests === undefined && bundleId === undefined)
    throw new UsageError('pass --test, --bundle or both; npx pathology tests list shows the ids')
  const request = { ...(tests && { tests }), ...(bundleId && { bundleId }) }
  const { signal } = terminal
  const price = await withClient(terminal, options, (client) =>
    client.prices.calculate(request, { signal }),
  ).catch((error: unknown) => {
    if (!isPathologyError(error, 'INVALID_PAYLOAD') && !isPathologyError(error, 'INVALID_BUNDLE_ID'))
      throw error
    throw new OperationError(
      `${error.message}\nnpx pathology tests list and npx pathology bundles list show the ids.`,
    )
  })
  if (formatOf(terminal, options) === 'json') return writeJson(terminal, price)
  return writeRows(terminal, options, { columns: ['item', 'cents', 'dollars'] }, rowsOf(price))
}

function rowsOf(price: Price): PriceRow[] {
  return [
    ...price.tests.map(({ name, price: cents }) => row(name, cents)),
    ...price.fees.map(({ reason, amount }) => row(`fee: ${reason}`, amount)),
    ...price.tax.map(({ reason, amount }) => row(`tax: ${reason}`, amount)),
    row('subTotal', price.subTotal),
    row('grandTotal', price.grandTotal),
    row('grandTotalIncTax', price.grandTotalIncTax),
  ]
}

function row(item: string, cents: number): PriceRow {
  return { item, cents, dollars: (cents / 100).toFixed(2) }
}
