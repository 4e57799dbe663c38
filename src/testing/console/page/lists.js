import { h } from './dom.js'
import { number } from './format.js'
import { empty } from './parts.js'

/**
 * @typedef {import('./dom.js').Child} Child
 * @typedef {import('../views.js').Choices} Choices
 */

/**
 * @template Item, Detail
 * @typedef {object} ListView a list on the left, one record on the right
 * @property {string} name its part of the address
 * @property {string} label
 * @property {string} path where the control interface lists it
 * @property {string} searchHint
 * @property {{ name: string, any: string, choices: (choices: Choices) => readonly (readonly [string, string])[] }} filter
 * @property {Child} [tools]
 * @property {string} whenEmpty
 * @property {(item: Item) => string | number} idOf
 * @property {(item: Item, now: string) => readonly [main: Child, below: Child, right: Child, rightBelow: Child]} row
 * @property {(detail: Detail, now: string) => Child} detail
 * @property {Child} [nothingChosen] what stands on the right while nothing is chosen
 */

/**
 * @typedef {object} ListState what a list shows at present
 * @property {string} filter
 * @property {string} search
 * @property {number[]} anchors where each page after the first begins
 */

/** @typedef {{ readonly position: number, readonly deleted?: boolean }} ListItem */

/**
 * @template {ListItem} [Item=ListItem]
 * @typedef {object} ListPage
 * @property {readonly Item[]} items
 * @property {number} total
 * @property {number} newer
 */

/** @returns {ListState} */
export function newListState() {
  return { filter: '', search: '', anchors: [] }
}

/**
 * The query of the page that a list shows.
 *
 * @param {Pick<ListView<never, never>, 'filter'>} view
 * @param {ListState} state
 */
export function listQuery(view, { filter, search, anchors }) {
  return { [view.filter.name]: filter, search, before: anchors.at(-1) }
}

/**
 * @template {ListItem} Item
 * @param {ListView<Item, never>} view
 * @param {ListState} state
 * @param {ListPage<Item>} page
 * @param {{ chosen: string, now: string, choices: Choices }} at
 */
export function listPane(view, state, page, { chosen, now, choices }) {
  return h(
    'section',
    { class: 'list', 'data-key': view.name, 'aria-label': view.label },
    toolbar(view, state, choices),
    page.items.length === 0
      ? empty(state.search === '' && state.filter === '' ? view.whenEmpty : 'Nothing fits.')
      : h(
          'ol',
          { class: 'rows', 'data-key': 'rows' },
          page.items.map((item) => row(view, item, chosen, now)),
        ),
    footer(state, page),
  )
}

/**
 * @param {Pick<ListView<never, never>, 'name' | 'filter' | 'searchHint' | 'tools'>} view
 * @param {ListState} state
 * @param {Choices} choices
 */
function toolbar({ name, filter, searchHint, tools }, state, choices) {
  const options = [['', filter.any], ...filter.choices(choices)]
  return h(
    'div',
    { class: 'toolbar', 'data-key': 'toolbar' },
    h('input', {
      type: 'search',
      name: 'search',
      'data-list': name,
      'aria-label': `Search: ${searchHint}`,
      placeholder: searchHint,
      value: state.search,
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    h(
      'select',
      { name: 'filter', 'data-list': name, 'aria-label': filter.any },
      options.map(([value, label]) => h('option', { value, selected: value === state.filter }, label)),
    ),
    tools,
  )
}

/**
 * @template {ListItem} Item
 * @param {ListView<Item, never>} view
 * @param {Item} item
 * @param {string} chosen
 * @param {string} now
 */
function row(view, item, chosen, now) {
  const id = String(view.idOf(item))
  const [main, below, right, rightBelow] = view.row(item, now)
  return h(
    'li',
    { 'data-key': id, class: item.deleted === true ? 'deleted' : null },
    h(
      'a',
      { href: `#/${view.name}/${id}`, 'aria-current': id === chosen ? 'true' : null },
      h('span', { class: 'row-main' }, main),
      h('span', { class: 'row-right' }, right),
      h('span', { class: 'row-below' }, below),
      h('span', { class: 'row-right muted' }, rightBelow),
    ),
  )
}

/**
 * @param {ListState} state
 * @param {ListPage} page
 */
function footer({ anchors }, { items, total, newer }) {
  const range =
    items.length === 0 ? '0' : `${number(newer + 1)}–${number(newer + items.length)} of ${number(total)}`
  const step = (/** @type {string} */ to, /** @type {string} */ label, /** @type {boolean} */ can) =>
    h('button', { type: 'button', class: 'button small', 'data-step': to, disabled: !can }, label)
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'Pages', 'data-key': 'pages' },
    step('newest', 'Newest', anchors.length > 0),
    step('newer', 'Newer', anchors.length > 0),
    h('span', { class: 'range' }, range),
    step('older', 'Older', newer + items.length < total),
  )
}
