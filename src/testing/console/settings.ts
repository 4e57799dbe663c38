import type { FakeCore } from '../core/fake-core.js'
import { DEFAULT_FAKE_OPTIONS, isChangeable, type ResolvedFakeOptions } from '../options/fake-options.js'
import { OPTION_RULES } from '../options/option-rules.js'
import { button, direct, type OwnPage, type Page, type TableRow } from './view.js'

const SECRETS: readonly string[] = ['clientSecret', 'signingSecret']

export const settings: OwnPage = {
  title: 'Settings',
  path: '/console/options',
  description: 'returns the options, without secrets',
  page: settingsPage,
}

function settingsPage(core: FakeCore): Page {
  const { api, auth } = core.origins
  const { clientId, environment } = core.options
  const code = [
    'new PathologyClient({',
    `  baseUrl: '${api}',`,
    `  authUrl: '${auth}',`,
    `  clientId: '${clientId}',`,
    '  clientSecret: …, // option clientSecret of the fake; pathology-fake prints it',
    '})',
  ]
  return {
    title: 'Settings',
    sections: [
      {
        title: 'Connect a client',
        facts: [
          ['Base URL', { copy: api }],
          ['Token service', { copy: auth }],
          ['Client id', { copy: clientId }],
          ['Environment', environment],
        ],
        text: code.join('\n'),
      },
      { title: 'Snapshots', hasSnapshots: true },
      {
        title: 'Reset',
        buttons: [direct('POST /reset', { tone: 'bad', confirm: 'Delete all data?' })],
      },
      {
        title: 'Options',
        rows: Object.entries(core.options)
          .filter(([name]) => !SECRETS.includes(name))
          .map(([name, value]) => optionRow(name, value))
          .sort((one, other) => Number(other.isChanged) - Number(one.isChanged)),
      },
    ],
  }
}

function optionRow(name: string, value: unknown): TableRow & { readonly isChanged: boolean } {
  const defaults: Readonly<Record<string, unknown>> = {
    ...(DEFAULT_FAKE_OPTIONS satisfies ResolvedFakeOptions),
  }
  const text = textOf(name, value)
  const isChanged = text !== textOf(name, defaults[name])
  const rule = new Map(Object.entries(OPTION_RULES)).get(name)
  const choices = (rule?.choices ?? []).map((choice) => [JSON.stringify(choice), String(choice)] as const)
  const change = {
    ...button('PUT /options', { label: 'Change' }),
    fields: { [name]: `any: ${rule?.words}` },
    values: { [name]: choices.length > 0 ? text : value },
    ...(choices.length > 0 && { choices: { [name]: choices } }),
  }
  const restore = direct('PUT /options', { label: 'Restore default', body: { [name]: null } })
  return {
    isChanged,
    cells: [{ option: name }, text, isChanged ? { text: 'Changed', tone: 'busy' } : null],
    ...(isChangeable(name) && { buttons: isChanged ? [change, restore] : [change] }),
  }
}

function textOf(name: string, value: unknown): string {
  if (name === 'startTime' && typeof value === 'number') return new Date(value).toISOString()
  return JSON.stringify(value) ?? 'none'
}
