import { h } from './dom.js'
import { number } from './format.js'
import { empty } from './parts.js'

/**
 * @typedef {import('./dom.js').Child} Child
 * @typedef {import('../views.js').Choices} Choices
 */

/**
 * @template Item, Detail
 * @typedef {object} ListView a list on the left, the selected record on the right
 * @property {string} name in the address
 * @property {string} label
 * @property {string} path in the control API
 * @property {string} searchHint
 * @property {{ name: string, any: string, choices: (choices: Choices) => readonly (readonly [string, string])[] }} filter
 * @property {Child} [tools]
 * @property {string} whenEmpty
 * @property {(item: Item) => string | number} idOf
 * @property {(item: Item, now: string) => readonly [main: Child, below: Child, right: Child, rightBelow: Child]} row
 * @property {(detail: Detail, now: string, origins: Record<'baseUrl' | 'authUrl' | 'documentsUrl', string>) => Child} detail
 * @property {string} [nothingSelected] hint above the overview, which is shown without a selection
 */

/**
 * @typedef {object} ListState filter and page of a list
 * @property {string} filter
 * @property {string} search
 * @property {number[]} anchors `before` of each page after the first: position of the previous page's last record
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
 * Returns the query of the current page.
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
 * @param {{ selected: string, now: string, choices: Choices }} at
 */
export function listPane(view, state, page, { selected, now, choices }) {
  return h(
    'section',
    { class: 'list', 'data-key': view.name, 'aria-label': view.label },
    toolbar(view, state, choices),
    page.items.length === 0
      ? emptyList(view, state)
      : h(
          'ol',
          { class: 'rows', 'data-key': 'rows' },
          page.items.map((item) => row(view, item, selected, now)),
        ),
    footer(state, page),
  )
}

/**
 * @param {Pick<ListView<never, never>, 'label' | 'whenEmpty'>} view
 * @param {ListState} state
 */
function emptyList({ label, whenEmpty }, { search, filter }) {
  if (search === '' && filter === '') return empty(whenEmpty)
  const limits = [
    ...(search === '' ? [] : [{ part: 'search', reason: `"${search}"` }]),
    ...(filter === '' ? [] : [{ part: 'filter', reason: 'this filter' }]),
  ]
  const reasons = limits.map(({ reason }) => reason).join(' and ')
  const parts = limits.map(({ part }) => part).join(' and ')
  return h(
    'p',
    { class: 'empty' },
    `No ${label.toLowerCase()} match ${reasons}. `,
    h('button', { type: 'button', class: 'button small', 'data-clear': true }, `Clear ${parts}`),
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
 * @param {string} selected
 * @param {string} now
 */
function row(view, item, selected, now) {
  const id = String(view.idOf(item))
  const [main, below, right, rightBelow] = view.row(item, now)
  return h(
    'li',
    { 'data-key': id, class: item.deleted === true ? 'deleted' : null },
    h(
      'a',
      { href: `#/${view.name}/${id}`, 'aria-current': id === selected ? 'true' : null },
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
