import { pressButton, SNAPSHOTS, submitForm } from './commands.js'
import { listen, read } from './control.js'
import { clockFace, clockTools, nextJob, tabBar } from './controls.js'
import { render } from './dom.js'
import { pressKey } from './keys.js'
import { newListState } from './lists.js'
import { closeDialogs, note } from './notes.js'
import { copyable } from './parts.js'
import { LISTS, readView, routeOf, showView, TABS, titleOf } from './views.js'

/**
 * @typedef {object} State state of the page
 * @property {import('../views.js').Choices} choices
 * @property {import('../views.js').Overview} overview
 * @property {number} clockOffset milliseconds by which the fake's clock is later than this machine's clock
 * @property {import('./views.js').Route} route
 * @property {Readonly<Record<string, import('./lists.js').ListState>>} lists
 * @property {import('./views.js').Shown} shown
 * @property {string} faultKind
 * @property {readonly import('./settings.js').KeptSnapshot[]} snapshots
 * @property {string} rejection key of the last rejected attempt that needs no further message
 */

/** Minimum time between two reads of a busy fake, in milliseconds. */
const READ_INTERVAL_MS = 150
const TYPING_MS = 150
const TICK_MS = 250
const NARROW = '(max-width: 800px)'

const byId = (/** @type {string} */ id) => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return element
}

/** The page. It reads and draws the current view after each change, one read at a time. */
class Page {
  /** @param {State} state */
  constructor(state) {
    this.state = state
    this.isReading = false
    this.isStale = false
    this.drawn = ''
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.typing = undefined
  }

  /** Reads and draws the view. Calls during a read cause one more read. */
  async refresh() {
    this.isStale = true
    if (this.isReading) return
    this.isReading = true
    try {
      while (this.isStale) {
        this.isStale = false
        const isCurrent = await this.readAll()
        if (this.isStale && isCurrent) await new Promise((resolve) => setTimeout(resolve, READ_INTERVAL_MS))
        else if (!isCurrent) this.isStale = true
      }
    } catch (error) {
      if (error instanceof TypeError) this.connected(false)
      else this.say('bad', error)
    } finally {
      this.isReading = false
    }
  }

  /** Reads the view. Returns `false` if the user changed the view during the read. */
  async readAll() {
    const { state } = this
    const { route } = state
    const [overview, shown] = await Promise.all([read('/console/overview'), readView(state)])
    if (state.route !== route) return false
    Object.assign(state, { overview, shown, clockOffset: Date.parse(overview.now) - Date.now() })
    this.draw()
    this.showRejection()
    return true
  }

  draw() {
    const { state } = this
    document.body.dataset['view'] = state.route.view
    document.body.dataset['detail'] = String(state.route.id !== '')
    document.title = titleOf(state)
    render(byId('where'), copyable(state.overview.baseUrl))
    render(byId('tabs'), tabBar(TABS, state.route.view, state.overview))
    render(byId('main'), showView(state))
    if (this.drawn !== state.route.view) this.showTab()
    this.drawClock()
  }

  /** Shows why an attempt of a delivery failed, once for each failed attempt. */
  showRejection() {
    const { rejection } = this.state.overview
    const key = rejectionKey(rejection)
    if (rejection === null || key === this.state.rejection) return
    this.state.rejection = key
    const { delivery, attempt, eventName, status, failure, isSignatureValid, reason } = rejection
    const signature = isSignatureValid ? 'the signature is valid' : 'the signature is invalid'
    const words = reason === '' ? 'without a reason' : reason.slice(0, 200)
    const what =
      status === null
        ? `the receiver did not respond: ${failure}`
        : `the receiver responded with ${status}, ${words} (${signature})`
    const repeat = attempt === 1 ? '' : `, attempt ${attempt}`
    this.say('bad', `Delivery ${delivery}, ${eventName}${repeat}: ${what}`)
  }

  /** Scrolls to the current tab, because on a phone the tabs are wider than the screen. */
  showTab() {
    this.drawn = this.state.route.view
    document.querySelector('#tabs [aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }

  drawClock() {
    const { overview, clockOffset } = this.state
    const now = overview.clock === 'stopped' ? Date.parse(overview.now) : Date.now() + clockOffset
    render(byId('clock'), clockFace(now, overview.clock))
    render(byId('next'), nextJob(overview.next, now))
  }

  /** Opens the view and the record of the address. */
  async follow() {
    const { state } = this
    const route = routeOf(location.hash)
    const isOtherView = route.view !== state.route.view
    closeDialogs()
    state.route = route
    if (isOtherView) state.shown = {}
    await this.refresh()
    if (isOtherView) byId('main').scrollTo(0, 0)
    if (route.id !== '' && matchMedia(NARROW).matches) focus('.detail')
  }

  /**
   * Runs an action, shows its outcome as a message, and reads the view again.
   *
   * @param {Element} control the control that started the action
   * @param {() => Promise<string>} work
   */
  async run(control, work) {
    if (control.getAttribute('aria-busy') === 'true') return
    control.setAttribute('aria-busy', 'true')
    try {
      const words = await work()
      if (words === '') return
      this.say('good', words)
      await this.refresh()
    } catch (error) {
      this.say('bad', error)
    } finally {
      control.removeAttribute('aria-busy')
      if (!control.isConnected && document.activeElement === document.body) focus('.action-bar button')
    }
  }

  /**
   * @param {'good' | 'bad'} tone
   * @param {unknown} words
   */
  say(tone, words) {
    note(byId('notes'), tone, words instanceof Error ? words.message : String(words))
  }

  /** @param {boolean} is */
  connected(is) {
    const live = byId('live')
    if (live.dataset['live'] === String(is)) return
    live.dataset['live'] = String(is)
    live.textContent = is ? 'Live' : 'Offline'
    live.title = is ? 'Changes are shown at once' : 'The fake does not respond'
  }

  /** @param {string} to newest, newer or older */
  step(to) {
    const { route, lists, shown } = this.state
    const list = lists[route.view]
    if (list === undefined) return
    if (to === 'newest') list.anchors = []
    else if (to === 'newer') list.anchors = list.anchors.slice(0, -1)
    else
      list.anchors = [...list.anchors, ...(shown.page?.items.slice(-1) ?? []).map(({ position }) => position)]
    void this.refresh()
    document.querySelector('.rows')?.scrollTo(0, 0)
  }

  /**
   * @param {'search' | 'filter'} part
   * @param {string} value
   */
  setFilter(part, value) {
    const list = this.state.lists[this.state.route.view]
    if (list === undefined) return
    list[part] = value
    list.anchors = []
    clearTimeout(this.typing)
    this.typing = setTimeout(() => void this.refresh(), part === 'search' ? TYPING_MS : 0)
  }

  /** Clears the search and the filter of the current list. */
  clearFilters() {
    this.setFilter('search', '')
    this.setFilter('filter', '')
    for (const control of document.querySelectorAll('[name=search], [name=filter]')) {
      if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) control.value = ''
    }
    focus('[name=search]')
  }
}

/** @param {string} selector */
function focus(selector) {
  const element = document.querySelector(selector)
  if (element instanceof HTMLElement) element.focus()
}

/** @param {Page} page */
function handleClicks(page) {
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (button === null) return
    const { copy, path, step, clear, do: snapshotAction } = button.dataset
    if (copy !== undefined) void page.run(button, () => copyText(copy))
    else if (path !== undefined) void page.run(button, () => pressButton(button))
    else if (step !== undefined) page.step(step)
    else if (clear !== undefined) page.clearFilters()
    else if (snapshotAction !== undefined)
      void page.run(button, async () => (await SNAPSHOTS[snapshotAction]?.(page.state, button)) ?? '')
  })
}

/** @param {string} text */
async function copyText(text) {
  await navigator.clipboard.writeText(text)
  return 'Copied'
}

/** @param {Page} page */
function handleForms(page) {
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.dataset['form'] === undefined) return
    event.preventDefault()
    void page.run(form, () => submitForm(form))
  })
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === 'search') page.setFilter('search', target.value)
  })
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && target.name === 'filter')
      page.setFilter('filter', target.value)
    if (target instanceof HTMLSelectElement && target.dataset['redraw'] === 'kind') {
      page.state.faultKind = target.value
      page.draw()
    }
    if (target instanceof HTMLSelectElement && target.dataset['submit'] !== undefined)
      target.form?.requestSubmit()
    if (target instanceof HTMLInputElement && target.type === 'file') {
      void page.run(target, async () => (await SNAPSHOTS['open']?.(page.state, target)) ?? '')
    }
  })
}

/** @param {import('../views.js').Rejection | null} rejection */
function rejectionKey(rejection) {
  return rejection === null ? '' : `${rejection.delivery} ${rejection.attempt}`
}

/** Reads all data before it draws the page for the first time, so that the layout does not shift. */
async function start() {
  const route = routeOf(location.hash)
  const lists = Object.fromEntries(Object.keys(LISTS).map((name) => [name, newListState()]))
  const [choices, overview, shown] = await Promise.all([
    read('/console/choices'),
    read('/console/overview'),
    readView({ route, lists }),
  ])
  const clockOffset = Date.parse(overview.now) - Date.now()
  const page = new Page({
    choices,
    overview,
    clockOffset,
    route,
    lists,
    shown,
    faultKind: 'status',
    snapshots: [],
    rejection: rejectionKey(overview.rejection),
  })
  render(byId('clock-tools'), ...clockTools())
  page.draw()
  handleClicks(page)
  handleForms(page)
  document.addEventListener('keydown', pressKey)
  window.addEventListener('hashchange', () => void page.follow())
  setInterval(() => page.drawClock(), TICK_MS)
  listen({ changed: () => void page.refresh(), connected: (is) => page.connected(is) })
}

await start()
