import type { CommandGroup } from './shared/command.js'

/** Every group of commands. The module of a group is loaded when a command of the group is used. */
export const COMMANDS: readonly CommandGroup[] = [
  {
    name: 'doctor',
    summary: 'check settings, network, token, clock and webhooks, and show a fix for each problem',
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'referrals',
    summary: 'list, show and find referrals, and save their PDFs',
    load: () => import('./commands/referrals.js'),
  },
  {
    name: 'results',
    summary: 'list and show results, save their PDFs, print their report text',
    load: () => import('./commands/results.js'),
  },
  { name: 'order', summary: 'check orders without sending them', load: () => import('./commands/order.js') },
  {
    name: 'tests',
    summary: 'list tests with their ids and prices',
    load: async () => ({ commands: (await import('./commands/catalogue.js')).testCommands }),
  },
  {
    name: 'bundles',
    summary: 'list bundles of tests',
    load: async () => ({ commands: (await import('./commands/catalogue.js')).bundleCommands }),
  },
  { name: 'price', summary: 'calculate the price of tests', load: () => import('./commands/price.js') },
  { name: 'centres', summary: 'find collection centres', load: () => import('./commands/centres.js') },
  {
    name: 'check',
    summary: 'check Medicare card, provider and DVA numbers without a connection',
    load: () => import('./commands/check.js'),
  },
  {
    name: 'webhooks',
    summary: 'manage webhook subscriptions and verify saved deliveries',
    load: () => import('./commands/webhooks.js'),
  },
  {
    name: 'mirror',
    summary: 'keep a copy of referrals and results in Postgres or a directory, and maintain it',
    load: () => import('./commands/mirror.js'),
  },
  {
    name: 'ledger',
    summary: 'list orders whose outcome is unknown, and record their outcome',
    load: () => import('./commands/ledger.js'),
  },
  {
    name: 'fake',
    summary: 'start the fake of the service, or control a running one',
    load: () => import('./commands/fake.js'),
  },
  {
    name: 'contract',
    summary: 'compare a real environment with the interface that this package expects',
    load: () => import('./commands/contract.js'),
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands and options in bash, zsh or fish',
    load: () => import('./commands/completion.js'),
  },
]
