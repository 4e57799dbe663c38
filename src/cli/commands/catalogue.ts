import type { Command } from 'commander'
import type { Bundle, Test } from '../../contract/types.js'
import { type CommandTools, withEnvironment, withExample, withRows } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { type RowLayout, type RowOptions, writeRows } from '../shared/output.js'

type Options = RowOptions & EnvironmentOptions

const TESTS: RowLayout<Test> = {
  columns: ['id', 'name', ['dollars', ({ priceCents }) => (priceCents / 100).toFixed(2)], 'medicareListed'],
  empty: 'The service offers no tests.',
}

const BUNDLES: RowLayout<Bundle> = {
  columns: ['id', 'name', 'visibility', ['tests', ({ tests }) => tests.map(({ id }) => id)]],
  empty: 'The service offers no PUBLIC bundles.',
}

/** Adds `tests list`. */
export function defineTests(group: Command, { terminal, action }: CommandTools): void {
  withExample(
    withRows(withEnvironment(group.command('list').description('list the tests with their ids and prices'))),
    'npx pathology tests list',
  ).action(
    action(async (options: Options) => {
      await withClient(terminal, options, (client) =>
        writeRows(terminal, options, TESTS, client.tests.list({}, { signal: terminal.signal })),
      )
      return undefined
    }),
  )
}

/** Adds `bundles list`. */
export function defineBundles(group: Command, { terminal, action }: CommandTools): void {
  withExample(
    withRows(
      withEnvironment(group.command('list').description('list the PUBLIC bundles with their ids and tests')),
    ),
    'npx pathology bundles list',
  ).action(
    action(async (options: Options) => {
      await withClient(terminal, options, (client) =>
        writeRows(terminal, options, BUNDLES, client.bundles.list({}, { signal: terminal.signal })),
      )
      return undefined
    }),
  )
}
