import { h } from './dom.js'
import { number } from './format.js'
import { block, button, copyable, empty, facts } from './parts.js'

/**
 * @typedef {import('../views.js').Overview} Overview
 * @typedef {import('../views.js').OptionView} OptionView
 * @typedef {{ name: string, text: string }} KeptSnapshot
 */

const KEYS = /** @type {const} */ ([
  ['1 to 7', 'Open a view'],
  ['/', 'Search'],
  ['↑ ↓', 'Previous or next row'],
  ['Esc', 'Back to the list'],
])

/**
 * @param {Overview} overview
 * @param {readonly OptionView[]} options
 * @param {readonly KeptSnapshot[]} snapshots
 */
export function settingsPanel(overview, options, snapshots) {
  return h(
    'div',
    { class: 'columns', 'data-key': 'settings' },
    h(
      'div',
      null,
      block('Connect a client', connection(overview)),
      block('Snapshots', snapshotTools(snapshots)),
      block('Reset', resetTool()),
      block('Keys', facts(KEYS.map(([keys, what]) => [keys, what]))),
    ),
    h('div', null, block('Options', optionTable(options))),
  )
}

/** @param {Overview} overview */
function connection({ baseUrl, authUrl, clientId, environment }) {
  const code = [
    'new PathologyClient({',
    `  baseUrl: '${baseUrl}',`,
    `  authUrl: '${authUrl}',`,
    `  clientId: '${clientId}',`,
    '  clientSecret: …, // option clientSecret of the fake; pathology-fake prints it',
    '})',
  ].join('\n')
  return [
    facts([
      ['Base URL', copyable(baseUrl)],
      ['Token service', copyable(authUrl)],
      ['Client id', copyable(clientId)],
      ['Environment', environment],
    ]),
    h('pre', { class: 'apart', tabindex: 0 }, code),
  ]
}

/** @param {readonly KeptSnapshot[]} snapshots */
function snapshotTools(snapshots) {
  return [
    h(
      'div',
      { class: 'action-bar' },
      h(
        'button',
        { type: 'button', class: 'button', 'data-tone': 'main', 'data-do': 'take' },
        'Take a snapshot',
      ),
      h(
        'label',
        { class: 'button file' },
        'Restore from a file',
        h('input', { type: 'file', accept: '.json,application/json', 'data-do': 'open' }),
      ),
    ),
    snapshots.length === 0
      ? empty(
          'No snapshots in this tab. A snapshot contains all records, the clock, tokens, faults and journals.',
        )
      : h(
          'ul',
          { class: 'cards' },
          snapshots.map(({ name, text }, index) =>
            h(
              'li',
              { 'data-key': `${index} ${name}` },
              h('span', { class: 'wide' }, name),
              h('span', { class: 'muted' }, `${number(Math.ceil(text.length / 1024))} kB`),
              h(
                'button',
                { type: 'button', class: 'button', 'data-do': 'restore', 'data-index': index },
                'Restore',
              ),
              h(
                'button',
                { type: 'button', class: 'button', 'data-do': 'save', 'data-index': index },
                'Save to a file',
              ),
            ),
          ),
        ),
  ]
}

function resetTool() {
  return h(
    'div',
    { class: 'action-bar' },
    button('Reset', {
      path: '/reset',
      tone: 'bad',
      confirm: 'Delete all data?',
      title: 'Deletes all data and starts again with the same options',
      done: 'The fake was reset',
    }),
  )
}

/** @param {readonly OptionView[]} options */
function optionTable(options) {
  return h(
    'table',
    { class: 'plain options' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Option'), h('th', { scope: 'col' }, 'Value'))),
    h(
      'tbody',
      null,
      options
        .toSorted((one, other) => Number(other.changed) - Number(one.changed))
        .map((option) =>
          h(
            'tr',
            { 'data-key': option.name },
            h('th', { scope: 'row', class: 'mono' }, option.name),
            h(
              'td',
              { class: 'mono' },
              option.changeable ? optionForm(option) : option.value,
              option.changed ? h('span', { class: 'pill', 'data-tone': 'busy' }, 'Changed') : null,
            ),
          ),
        ),
    ),
  )
}

/**
 * Returns the form of an option. A select element changes the option at once; a text field needs Enter or the button.
 *
 * @param {OptionView} option
 */
function optionForm({ name, value, choices }) {
  const control =
    choices.length > 0
      ? h(
          'select',
          { name: 'value', 'aria-label': name, 'data-submit': true, 'data-key': value },
          choices.map((choice) =>
            h('option', { value: choice, selected: choice === value }, choice.replaceAll('"', '')),
          ),
        )
      : h('input', { name: 'value', 'aria-label': name, value, 'data-key': value, autocomplete: 'off' })
  return h(
    'form',
    { class: 'option', 'data-form': 'option' },
    h('input', { type: 'hidden', name: 'name', value: name }),
    control,
    choices.length > 0 ? null : h('button', { class: 'button small' }, 'Set'),
  )
}
