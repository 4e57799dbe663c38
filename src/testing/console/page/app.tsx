import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

import { number } from '../format.js'
import type { Page, ShownView } from '../view.js'
import { OpenDialog, toneStyle } from './act.js'
import { Copy } from './buttons.js'
import { Clock } from './clock.js'
import { isLive, useRead, withQuery } from './control.js'
import { openKeys } from './keys.js'
import { List } from './list.js'
import { PageView } from './page.js'
import { openPalette } from './palette.js'
import { Empty } from './parts.js'
import { overview, type Route, route, views } from './state.js'

const NARROW = '(max-width: 800px)'

export function App() {
  const { view, id } = route.value
  // At once, because a region that is still hidden can't get the focus.
  useLayoutEffect(() => {
    document.body.dataset['view'] = view
    document.body.dataset['detail'] = String(id !== '')
    document.title = titleOf(route.value)
  }, [view, id])
  return (
    <>
      <button type="button" class="hidden button" onClick={skip}>
        Skip to the content
      </button>
      <header class="top row">
        <div class="row">
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
      <OpenDialog />
    </>
  )
}

/** Returns the title of the page: the view, and the record in it. */
function titleOf({ view, id }: Route): string {
  const { tab = 'Overview', pages = {} } = viewOf(view) ?? {}
  const name = pages[id]?.title ?? `${tab} ${id.slice(0, 8)}`.trim()
  return `${name} · Pathology fake`
}

function viewOf(name: string): ShownView | undefined {
  return views.value.find((view) => view.name === name)
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
        {views.value.map(({ name, tab }) => (
          <li key={name}>
            <a
              href={`#/${name}`}
              ref={name === view ? current : null}
              aria-current={name === view ? 'page' : undefined}
            >
              {tab}
              {totals[name] === undefined ? null : <span class="pill">{number(totals[name])}</span>}
              {name === 'deliveries' && failingDeliveries > 0 ? (
                <span class="pill" style={toneStyle('bad')} title="failed or waiting for a retry">
                  {number(failingDeliveries)}
                </span>
              ) : null}
            </a>
          </li>
        ))}
      </ul>
      <button type="button" class="button" title="Ctrl K" onClick={openPalette}>
        Find
      </button>
      <button type="button" class="button" aria-label="Keys" title="Keys" onClick={openKeys}>
        ?
      </button>
    </nav>
  )
}

function Main() {
  const shown = route.value
  const view = viewOf(shown.view)
  const isList = view?.records !== undefined
  const detail = useRef<HTMLElement>(null)
  const lastHash = useRef('')
  useEffect(() => {
    detail.current?.scrollTo(0, 0)
    // A narrow page shows either the record or the list, with the row that the user comes from.
    const row = document.querySelector<HTMLElement>(`.rows a[href="${CSS.escape(lastHash.current)}"]`)
    if (matchMedia(NARROW).matches) (shown.id === '' ? row : detail.current)?.focus()
    lastHash.current = `#/${shown.view}/${shown.id}`
  }, [shown.view, shown.id])
  return (
    <main tabIndex={-1}>
      {isList ? <List key={shown.view} view={view} /> : null}
      <section class={isList ? 'detail' : 'panel'} aria-label="Details" tabIndex={-1} ref={detail}>
        {isList ? (
          <a class="back" href={`#/${shown.view}`}>
            All {view.records}
          </a>
        ) : null}
        <Shown key={`${shown.view} ${shown.id}`} view={view} id={shown.id} />
      </section>
    </main>
  )
}

/** The page of a record, a page of the view itself, or the overview. */
function Shown({ view, id }: { view: ShownView | undefined; id: string }) {
  if (view?.records === undefined)
    return view === undefined ? <Home /> : <ReadPage path={withQuery(view.path, { id })} />
  const { path, pages = {}, panel } = view
  const shown = id === '' ? panel : id
  if (shown === undefined) return <Home />
  return <ReadPage path={pages[shown]?.path ?? `${path}/${encodeURIComponent(shown)}`} />
}

function Home() {
  return <PageView page={overview.value.page} />
}

function ReadPage({ path }: { path: string }) {
  const { data, failure } = useRead<Page>(path)
  if (failure !== undefined) return <Empty>This page is not available: {failure}</Empty>
  return data === undefined ? null : <PageView page={data} />
}
