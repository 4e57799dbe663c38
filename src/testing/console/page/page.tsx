import { useEffect } from 'preact/hooks'

import { span } from '../format.js'
import type { Button as ButtonRow, Page, Section, TableRow, TimelineEntry } from '../view.js'
import { BiomarkerTables } from './biomarkers.js'
import { Button, Buttons, Copy } from './buttons.js'
import { ActionForm } from './form.js'
import { Columns, Empty, Facts, isEmptyValue, Shown, Time, Values } from './parts.js'
import { Snapshots } from './snapshots.js'
import { overview, shownButtons } from './state.js'

/** What a page says about itself: its name, links and buttons, then its sections. */
export function PageView({ page }: { page: Page }) {
  const { title, isCode, id, marks = [], links = [], buttons, sections } = page
  useEffect(() => {
    shownButtons.value = buttons ?? []
    return () => (shownButtons.value = [])
  }, [buttons])
  return (
    <article>
      <header class="row">
        <h2 class={isCode ? 'row mono' : 'row'}>
          {title} <Values of={marks} />
        </h2>
        {id === undefined ? null : <Copy text={id} />}
        <Values of={links} />
      </header>
      {buttons === undefined ? null : (
        <div class="row" role="toolbar" aria-label="Actions">
          <Buttons of={buttons} />
          {buttons.length === 0 ? <span class="muted">No further actions.</span> : null}
        </div>
      )}
      {sections.map((section) => (
        <SectionView key={section.title} section={section} />
      ))}
    </article>
  )
}

function SectionView({ section }: { section: Section }) {
  const { title, folded = false } = section
  if (folded)
    return (
      <details>
        <summary>{title}</summary>
        <Content section={section} />
      </details>
    )
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <Content section={section} />
    </section>
  )
}

function Content({ section }: { section: Section }) {
  const { marks, hint, facts, timeline, columns, rows, text, biomarkers, form, buttons, whenEmpty } = section
  const isEmpty = [timeline, rows, text, biomarkers].every((content = []) => content.length === 0)
  return (
    <>
      {marks === undefined ? null : (
        <p class="row">
          <Values of={marks} />
        </p>
      )}
      {facts === undefined ? null : <Facts rows={facts} />}
      {timeline === undefined ? null : <Timeline entries={timeline} />}
      {rows === undefined || rows.length === 0 ? null : <Table columns={columns} rows={rows} />}
      {text === undefined || text === '' ? null : <Text>{text}</Text>}
      {biomarkers === undefined ? null : <BiomarkerTables biomarkers={biomarkers} />}
      {isEmpty && whenEmpty !== undefined ? <Empty>{whenEmpty}</Empty> : null}
      {section.hasSnapshots ? <Snapshots /> : null}
      {form === undefined ? null : <ActionForm key={form.path} button={form} />}
      {hint === undefined ? null : <p class="muted">{hint}</p>}
      {buttons === undefined ? null : (
        <p class="row">
          <Buttons of={buttons} />
        </p>
      )}
    </>
  )
}

function Table({ columns, rows }: { columns?: readonly string[] | undefined; rows: readonly TableRow[] }) {
  return (
    <table>
      {columns === undefined ? null : <Columns titles={columns} />}
      <tbody>
        {rows.map(({ cells, buttons = [] }, place) => (
          <tr key={`${buttons[0]?.path} ${place}`}>
            {cells.map((cell, column) => (
              <td key={column}>
                {columns === undefined && isEmptyValue(cell) ? null : <Shown value={cell} />}
              </td>
            ))}
            {buttons.length === 0 ? null : (
              <td class="row">
                <Buttons of={buttons} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Text({ children }: { children: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
  return <pre tabIndex={0}>{children}</pre>
}

function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol class="timeline">
      {entries.map((entry, place) => (
        <TimelineRow
          key={`${entry.at} ${entry.title} ${place}`}
          entry={entry}
          isSame={entries[place - 1]?.at === entry.at}
        />
      ))}
    </ol>
  )
}

const SIGNS = { fact: '●', event: '○', request: '□', planned: '◌' } as const

function TimelineRow({ entry, isSame }: { entry: TimelineEntry; isSame: boolean }) {
  const { at, kind, title, detail, href, marks = [] } = entry
  return (
    <li>
      <span class={isSame ? 'same' : undefined}>
        <Time iso={at} />
      </span>
      <span aria-hidden="true">{SIGNS[kind]}</span>
      <div>
        <span class={kind === 'fact' ? undefined : 'mono'}>
          {href === undefined ? title : <a href={href}>{title}</a>}
        </span>{' '}
        <span class="muted">{detail}</span> <Values of={marks} />
        {kind === 'planned' ? <AdvanceTo iso={at} /> : null}
      </div>
    </li>
  )
}

/** The time until a planned step, and the button that moves the clock there. */
export function AdvanceTo({ iso }: { iso: string }) {
  const milliseconds = Math.max(0, Date.parse(iso) - Date.parse(overview.value.now))
  const button: ButtonRow = {
    label: 'Advance to this event',
    method: 'POST',
    path: '/clock/advance',
    body: { milliseconds },
    done: 'Clock advanced',
  }
  return (
    <>
      <span class="muted">in {span(milliseconds)}</span> <Button button={button} />
    </>
  )
}
