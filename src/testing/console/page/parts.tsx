import { type ComponentChildren, Fragment } from 'preact'

import { labelOf, longTime, shortTime } from '../format.js'
import type { Part, Tone, Value } from '../view.js'
import { toneStyle } from './act.js'
import { Copy } from './buttons.js'
import { overview } from './state.js'

/** First sentences of the options' docstrings; the build puts them in. */
declare const OPTION_TEXTS: Readonly<Record<string, string>>

/** Statuses by their colour. The other ones are quiet. */
const STATUSES: Readonly<Partial<Record<Tone, readonly string[]>>> = {
  busy: ['ISSUED', 'ready', 'sending'],
  good: ['COMPLETE', 'delivered', 'ACTIVE', 'CONNECTED'],
  part: ['PARTIAL_RESULTS'],
  warn: [
    ...['PENDING_VERIFICATION', 'SCHEDULED_REISSUE', 'IN_REVIEW'],
    ...['waiting', 'MISSING', 'PENDING_CONFIRMATION'],
  ],
  bad: ['INSUFFICIENT_DATA', 'FAILED_TEST', 'BILLING_FAILED', 'failed', 'ACTION_NEEDED'],
}
const TONES = new Map(
  Object.entries(STATUSES).flatMap(([tone, statuses]) => statuses.map((status) => [status, tone])),
)

export function Values({ of }: { of: readonly Value[] }) {
  const shown = of.filter((value) => !isEmptyValue(value))
  return (
    <>
      {shown.map((value, place) => (
        <Fragment key={place}>
          <Shown value={value} />{' '}
        </Fragment>
      ))}
    </>
  )
}

export function isEmptyValue(value: Value): value is null | undefined | '' {
  return value === null || value === undefined || value === ''
}

/** A value: a mark, a time, a link, a text to copy, or plain; `–` for an empty one. */
export function Shown({ value }: { value: Value }) {
  if (isEmptyValue(value)) return <>–</>
  if (typeof value !== 'object') return <span>{value}</span>
  const { time, option, href, title, copy } = value
  if (time !== undefined) return <Time iso={time} />
  if (option !== undefined)
    return (
      <>
        <b class="mono">{option}</b> <span class="muted">{OPTION_TEXTS[option]}</span>
      </>
    )
  if (href !== undefined)
    return (
      <a href={href} title={title} {...(href.startsWith('#') ? {} : OUTSIDE)}>
        <Words part={value} />
      </a>
    )
  return (
    <>
      <Words part={value} /> {copy === undefined ? null : <Copy text={copy} />}
    </>
  )
}

function Words({ part: { status, text, tone, title } }: { part: Part }) {
  const colour = tone ?? (status === undefined ? undefined : (TONES.get(status) ?? 'quiet'))
  const words = text ?? labelOf(status ?? '')
  if (colour === undefined) return <span title={title}>{words}</span>
  return (
    <span class="pill" style={toneStyle(colour)} title={title}>
      {words}
    </span>
  )
}

const OUTSIDE = { target: '_blank', rel: 'noreferrer noopener' }

export function Time({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={longTime(iso)}>
      {shortTime(iso, overview.value.now)}
    </time>
  )
}

export function Facts({ rows }: { rows: readonly (readonly [label: string, value: Value])[] }) {
  return (
    <dl class="facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Shown value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function Columns({ titles, hidden = false }: { titles: readonly string[]; hidden?: boolean }) {
  return (
    <thead class={hidden ? 'hidden' : undefined}>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty muted">{children}</p>
}
