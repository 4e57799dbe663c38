/**
 * Handles keys outside of fields: `1` to `7` open a view, `/` focuses the search, arrow keys select the next or
 * previous row. Escape returns to the list, also from a field.
 *
 * @param {KeyboardEvent} event
 */
export function pressKey(event) {
  const { key, target } = event
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return
  if (target.closest('dialog') !== null) return
  if (key === 'Escape') return leave(target)
  if (target.closest('input, select, textarea') !== null) return
  const tab = /^[1-9]$/.test(key) ? document.querySelector(`#tabs li:nth-child(${key}) a`) : null
  const search = key === '/' ? document.querySelector('input[name=search]') : null
  const next = key === 'ArrowDown' || key === 'ArrowUp' ? neighbour(target, key === 'ArrowDown') : null
  const goal = next ?? search ?? tab
  if (!(goal instanceof HTMLElement)) return
  event.preventDefault()
  goal.focus()
  if (goal instanceof HTMLAnchorElement) location.replace(goal.href)
}

/**
 * Returns the link of the row after or before the focused row. Without a focused row, returns the link of the selected
 * row, or of the first row. Returns `null` if there is no such row, or if the focus is in a detail, a panel or a form.
 *
 * @param {HTMLElement} from
 * @param {boolean} isDown
 */
function neighbour(from, isDown) {
  const row = from.closest('.rows li')
  if (row !== null)
    return (isDown ? row.nextElementSibling : row.previousElementSibling)?.querySelector('a') ?? null
  if (from.closest('.detail, .panel, form') !== null) return null
  return document.querySelector('.rows a[aria-current]') ?? document.querySelector('.rows a')
}

/** @param {HTMLElement} from */
function leave(from) {
  const selected = document.querySelector('.rows a[aria-current]')
  if (from.matches('input[type=search]') || document.querySelector('.detail article') === null) from.blur()
  else location.hash = location.hash.split('/').slice(0, 2).join('/')
  if (selected instanceof HTMLElement) selected.focus()
}
