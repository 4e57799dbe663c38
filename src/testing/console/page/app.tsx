import { useEffect, useRef } from 'preact/hooks'

import { Copy, Notes, OpenDialog } from './actions.js'
import { Clock } from './clock.js'
import { isLive } from './control.js'
import { number } from './format.js'
import { openKeys } from './keys.js'
import { openPalette } from './palette.js'
import { overview, route } from './state.js'
import { Shown, TABS, titleOf, VIEWS } from './views.js'

const NARROW = '(max-width: 800px)'

export function App() {
  const { view, id } = route.value
  useEffect(() => {
    document.body.dataset['view'] = view
    document.body.dataset['detail'] = String(id !== '')
    document.title = titleOf({ view, id })
  }, [view, id])
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <header class="top">
        <div class="brand">
          <h1>
            <a href="#/overview" title="Overview">
              Pathology fake
            </a>
          </h1>
          <Live />
          <Copy text={overview.value.baseUrl} />
        </div>
        <Clock />
      </header>
      <Tabs />
      <Main />
      <Notes />
      <OpenDialog />
    </>
  )
}

/** Not a link, because the address belongs to the views. */
function skip(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}

function Live() {
  const words = { true: 'Live', false: 'Offline', undefined: 'Connecting' }[String(isLive.value)]
  const title = isLive.value === false ? 'The fake does not respond' : 'Changes are shown at once'
  return (
    <span id="live" role="status" data-live={String(isLive.value)} title={title}>
      {words}
    </span>
  )
}

function Tabs() {
  const { view } = route.value
  const { counts, failingDeliveries } = overview.value
  const totals: Readonly<Record<string, number>> = counts
  const current = useRef<HTMLAnchorElement>(null)
  useEffect(() => current.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' }), [view])
  return (
    <nav id="tabs" aria-label="Views">
      <ul>
        {TABS.map((name) => (
          <li key={name}>
            <a
              href={`#/${name}`}
              ref={name === view ? current : null}
              aria-current={name === view ? 'page' : undefined}
            >
              {VIEWS[name]?.label}
              {totals[name] === undefined ? null : <span class="count">{number(totals[name])}</span>}
              {name === 'deliveries' && failingDeliveries > 0 ? (
                <span class="count trouble" title="failed or waiting for a retry">
                  {number(failingDeliveries)}
                </span>
              ) : null}
            </a>
          </li>
        ))}
      </ul>
      <button type="button" class="button small" title="Ctrl K" onClick={openPalette}>
        Find
      </button>
      <button type="button" class="button small" aria-label="Keys" title="Keys" onClick={openKeys}>
        ?
      </button>
    </nav>
  )
}

function Main() {
  const shown = route.value
  const { label, list } = VIEWS[shown.view] ?? {}
  const detail = useRef<HTMLElement>(null)
  useEffect(() => {
    detail.current?.scrollTo(0, 0)
    if (shown.id !== '' && matchMedia(NARROW).matches) detail.current?.focus()
  }, [shown.view, shown.id])
  if (list === undefined)
    return (
      <main tabIndex={-1}>
        <section class="panel" aria-label={label} ref={detail} key={shown.view}>
          <h2 class="hidden">{label}</h2>
          <Shown route={shown} />
        </section>
      </main>
    )
  return (
    <main tabIndex={-1}>
      <list.Pane key={shown.view} />
      <section class="detail" aria-label="Details" tabIndex={-1} ref={detail}>
        <a class="back" href={`#/${shown.view}`}>
          All {list.label.toLowerCase()}
        </a>
        <Shown key={`${shown.view} ${shown.id}`} route={shown} />
      </section>
    </main>
  )
}
