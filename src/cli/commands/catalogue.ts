import type { Bundle, Test } from '../../contract/types.js'
import type { CommandRow } from '../shared/command.js'
import type { RowLayout } from '../shared/output.js'
import { listAll } from '../shared/records.js'

const TESTS: RowLayout<Test> = {
  columns: ['id', 'name', ['dollars', ({ priceCents }) => (priceCents / 100).toFixed(2)], 'medicareListed'],
  empty: 'The service offers no tests.',
}

const BUNDLES: RowLayout<Bundle> = {
  columns: ['id', 'name', 'visibility', ['tests', ({ tests }) => tests.map(({ id }) => id)]],
  empty: 'The service offers no PUBLIC bundles.',
}

export const testCommands: readonly CommandRow[] = [
  {
    name: 'list',
    summary: 'list the tests with their ids and prices',
    prints: 'rows',
    run: listAll(TESTS, (client, options) => client.tests.list({}, options)),
  },
]

export const bundleCommands: readonly CommandRow[] = [
  {
    name: 'list',
    summary: 'list the PUBLIC bundles with their ids and tests',
    prints: 'rows',
    run: listAll(BUNDLES, (client, options) => client.bundles.list({}, options)),
  },
]
