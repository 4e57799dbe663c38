import { openDialog, visit } from './act.js'
import { openPalette } from './palette.js'
import { Facts } from './parts.js'
import { route, views } from './state.js'

const KEYS = [
  [`1 to ${views.value.length}`, 'Open a view'],
  ['Ctrl K or ⌘ K', 'Find views, records and actions'],
  ['/', 'Search the list'],
  ['↑ ↓', 'Previous or next row'],
  ['n', 'Place an order'],
  ['Esc', 'Back to the list'],
  ['?', 'Show the keys'],
] as const

const FOCUSABLE = 'a[href], button, input, select, textarea, summary'

export function openKeys(): void {
  openDialog('Keys', <Facts rows={KEYS} />)
}

/** Handles keys outside of fields and dialogs; Escape also in fields, and Ctrl K everywhere. */
export function pressKey(event: KeyboardEvent): void {
  const { key, target } = event
  const isCommand = event.ctrlKey || event.metaKey
  if (isCommand && key.toLowerCase() === 'k') {
    event.preventDefault()
    openPalette()
    return
  }
  if (!(target instanceof HTMLElement) || target.closest('dialog') !== null) return
  if (isCommand || event.altKey) return
  const isInField = target.closest('input, select, textarea') !== null
  const act = isInField && key !== 'Escape' ? undefined : actionOf(key, target)
  if (act === undefined) return
  event.preventDefault()
  act()
}

function actionOf(key: string, from: HTMLElement): (() => void) | undefined {
  const tab = /^[1-9]$/.test(key) ? views.value[Number(key) - 1] : undefined
  if (tab !== undefined) return () => openTab(tab.name)
  if (key === 'Escape') return () => leave(from)
  if (key === '?') return openKeys
  if (key === 'n') return () => visit('#/referrals/new')
  if (key === '/') return () => focus('.toolbar input')
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined
  const row = neighbour(from, key === 'ArrowDown')
  if (row === undefined) return undefined
  return () => {
    row.focus()
    location.replace(row.href)
  }
}

function openTab(name: string): void {
  location.hash = `#/${name}`
  focus(`#tabs a[href="#/${name}"]`)
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus()
}

/** The link of the next row; without a focused row, of the selected or the first one. Not from a detail or a form. */
function neighbour(from: HTMLElement, isDown: boolean): HTMLAnchorElement | undefined {
  const row = from.closest('.rows li')
  const next = isDown ? row?.nextElementSibling : row?.previousElementSibling
  if (row !== null) return next?.querySelector('a') ?? undefined
  if (from.closest('.detail, .panel, form') !== null) return undefined
  const rows = document.querySelector('.rows')
  return rows?.querySelector<HTMLAnchorElement>('a[aria-current]') ?? rows?.querySelector('a') ?? undefined
}

function leave(from: HTMLElement): void {
  const selected = document.querySelector<HTMLElement>('.rows a[aria-current]')
  if (route.value.id === '' || from.matches('input[type=search]')) from.blur()
  else location.hash = `#/${route.value.view}`
  selected?.focus()
}

/**
 * After an action, the focused control may be gone: the focus then moves to the nearest one that is left. If the page of
 * the record is gone too, the focus moves to the region that shows the next one.
 */
export function keepFocus(): void {
  let path: Element[] = []
  document.addEventListener('focusin', (event) => {
    path = event.composedPath().filter((one) => one instanceof Element)
  })
  new MutationObserver(() => {
    if (document.activeElement !== document.body || path[0]?.isConnected !== false) return
    for (const home of path.filter((element) => element.isConnected && document.body !== element)) {
      if (home instanceof HTMLElement && home.tabIndex === -1 && home.hasAttribute('tabindex'))
        return home.focus()
      const next = [...home.querySelectorAll<HTMLElement>(FOCUSABLE)].find((one) => one.checkVisibility())
      if (next !== undefined) return next.focus()
    }
  }).observe(document.body, { childList: true, subtree: true })
}
