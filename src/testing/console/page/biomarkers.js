import { h, svg } from './dom.js'

/**
 * @typedef {import('../views.js').ResultDetail['result']['biomarkers'][number]} Biomarker
 * @typedef {import('../views.js').BiomarkerText} BiomarkerText
 * @typedef {{ name: string, low: number | null, high: number | null, kind: 'reference' | 'additional' }} Range
 * @typedef {(value: number) => number} Scale position of a value in per cent; can be outside 0 to 100
 */

/** Positions of the lower and the upper limit of the reference interval on every chart, in per cent. */
const LOW_AT = 30
const HIGH_AT = 66

/** @type {BiomarkerText} */
const NO_TEXT = { range: '', flag: 'unknown', additional: [] }

/** @type {Readonly<Record<string, readonly [letter: string, words: string] | undefined>>} */
const MARKS = { low: ['L', 'below the interval'], high: ['H', 'above the interval'] }

const COLUMNS = ['Name', 'Value', 'Ranges', 'Interval']

/** Space at both ends for values outside the scale, in per cent. */
const EDGE = 3

/**
 * Draws the biomarkers by category, with a chart of each value in its ranges.
 *
 * @param {readonly Biomarker[]} biomarkers
 * @param {readonly BiomarkerText[]} texts
 */
export function biomarkerTables(biomarkers, texts) {
  const rows = biomarkers.map((biomarker, at) => ({ biomarker, text: texts[at] ?? NO_TEXT }))
  const names = [...new Set(biomarkers.map(({ category }) => category.name))]
  return names.map((name) =>
    h(
      'table',
      { class: 'biomarkers', 'data-key': name },
      h('caption', null, name),
      h(
        'colgroup',
        null,
        COLUMNS.map((column) => h('col', { class: `col-${column.toLowerCase()}` })),
      ),
      h(
        'thead',
        { class: 'hidden' },
        h(
          'tr',
          null,
          COLUMNS.map((title) => h('th', { scope: 'col' }, title)),
        ),
      ),
      h(
        'tbody',
        null,
        rows
          .filter(({ biomarker }) => biomarker.category.name === name)
          .flatMap(({ biomarker, text }) => biomarkerRows(biomarker, text)),
      ),
    ),
  )
}

/**
 * @param {Biomarker} reported
 * @param {BiomarkerText} text
 */
function biomarkerRows(reported, text) {
  const biomarker = inStandardUnit(reported)
  const { id, name, formattedValue, notes } = biomarker
  const other =
    biomarker === reported || reported.canonical.status !== 'converted' ? null : reported.formattedValue
  const reference = referenceOf(biomarker)
  const others = additionalOf(biomarker)
  const value = numberOf(biomarker)
  const scale = value === null ? null : scaleOf(value, reference, others)
  const place = scale === null || value === null ? null : { value, scale }
  return [
    h(
      'tr',
      {
        'data-key': id,
        'data-biomarker': id,
        'data-abnormal': String(biomarker.isAbnormal === true || MARKS[text.flag] !== undefined),
      },
      h(
        'th',
        { scope: 'row' },
        name,
        notes === null ? null : h('span', { class: 'note' }, notes),
        other === null ? null : h('span', { class: 'note' }, `Reported as ${other}`),
      ),
      h('td', { class: 'value' }, formattedValue, mark(biomarker, text)),
      h('td', { class: 'chart' }, place === null ? null : chart(place, reference, label(biomarker, text))),
      h('td', { class: 'interval' }, text.range),
    ),
    ...others.map((range, at) =>
      h(
        'tr',
        { class: 'additional', 'data-key': `${id} ${range.name}` },
        h('th', { scope: 'row', colspan: 2 }, range.name),
        h('td', { class: 'chart' }, place === null ? null : chart(place, range, '')),
        h('td', { class: 'interval' }, text.additional[at] ?? ''),
      ),
    ),
  ]
}

/**
 * Returns the value and its ranges in the canonical unit, so that all biomarkers of a result use one system of units.
 * Without a canonical value, the reported value and unit stay.
 *
 * @param {Biomarker} biomarker
 * @returns {Biomarker}
 */
function inStandardUnit(biomarker) {
  const { value, formattedValue, unit, refIntervalHigh, refIntervalLow, additionalRanges } =
    biomarker.canonical
  if (value === null || formattedValue === null) return biomarker
  const ranges = { refIntervalHigh, refIntervalLow, additionalRanges: additionalRanges ?? null }
  return { ...biomarker, value: String(value), formattedValue, unit, ...ranges }
}

/**
 * @param {Biomarker} biomarker
 * @returns {Range | undefined}
 */
function referenceOf({ refIntervalLow: low, refIntervalHigh: high }) {
  if (low === null && high === null) return undefined
  return { name: 'Reference interval', low, high, kind: 'reference' }
}

/**
 * @param {Biomarker} biomarker
 * @returns {Range[]}
 */
function additionalOf({ additionalRanges }) {
  return (additionalRanges ?? []).map(({ name, lowRange: low, highRange: high }) => ({
    name,
    low,
    high,
    kind: 'additional',
  }))
}

/** @param {Biomarker} biomarker */
function numberOf({ value, valueType }) {
  const parsed = Number(value.replace(/^[<>=\s]+/, ''))
  return valueType !== 'numeric' || value.trim() === '' || Number.isNaN(parsed) ? null : parsed
}

/**
 * @param {Biomarker} biomarker
 * @param {BiomarkerText} text
 */
function mark({ isAbnormal }, { flag }) {
  const [letter, words] = MARKS[flag] ?? (isAbnormal === true ? ['A', 'abnormal'] : [])
  return letter === undefined ? null : h('abbr', { class: 'flag', title: words }, letter)
}

/**
 * @param {Biomarker} biomarker
 * @param {BiomarkerText} text
 */
function label({ formattedValue, isAbnormal }, { flag }) {
  if (flag === 'normal') return `${formattedValue}: inside the interval`
  const [, words] = MARKS[flag] ?? []
  if (words !== undefined) return `${formattedValue}: ${words}`
  return isAbnormal === true ? `${formattedValue}: abnormal` : formattedValue
}

/**
 * Returns the scale of a chart. Each limit of the reference interval has the same position on every chart. Without a
 * reference interval, the additional ranges define the scale; without these, there is no scale (`null`).
 *
 * @param {number} value
 * @param {Range | undefined} reference
 * @param {readonly Range[]} others
 * @returns {Scale | null}
 */
function scaleOf(value, reference, others) {
  if (reference !== undefined) return intervalScale(reference)
  const bounds = others.flatMap(({ low, high }) => [low ?? [], high ?? []].flat())
  if (bounds.length === 0) return null
  const low = Math.min(...bounds, value)
  const high = Math.max(...bounds, value)
  return linear(low, 100 * 0.1, high === low ? low + 1 : high, 100 * 0.9)
}

/**
 * @param {Range} range
 * @returns {Scale}
 */
function intervalScale({ low, high }) {
  if (low !== null && high !== null && high > low) return linear(low, LOW_AT, high, HIGH_AT)
  if (high !== null) return linear(Math.min(0, high - 1), EDGE, high, HIGH_AT)
  return linear(Math.min(0, (low ?? 0) - 1), EDGE, low ?? 0, LOW_AT)
}

/**
 * Returns the scale that shows the value `from` at `fromAt` per cent, and the value `to` at `toAt` per cent.
 *
 * @param {number} from
 * @param {number} fromAt
 * @param {number} to
 * @param {number} toAt
 * @returns {Scale}
 */
function linear(from, fromAt, to, toAt) {
  return (value) => fromAt + ((value - from) / (to - from)) * (toAt - fromAt)
}

/**
 * @param {{ value: number, scale: Scale }} place
 * @param {Range | undefined} range
 * @param {string} words text for screen readers; '' if another row of the biomarker has the text
 */
function chart({ value, scale }, range, words) {
  const from = clamp(range === undefined || range.low === null ? 0 : scale(range.low))
  const to = clamp(range === undefined || range.high === null ? 100 : scale(range.high))
  const isInside =
    range === undefined ||
    ((range.low === null || value >= range.low) && (range.high === null || value <= range.high))
  return svg(
    'svg',
    {
      class: range?.kind ?? 'none',
      role: 'img',
      'aria-label': words === '' ? null : words,
      'aria-hidden': words === '' ? 'true' : null,
      'data-inside': String(isInside),
    },
    svg('rect', { class: 'track', x: '0', width: '100%', y: '38%', height: '24%', rx: 2 }),
    range === undefined
      ? null
      : svg('rect', {
          class: 'band',
          x: `${from}%`,
          width: `${Math.max(0, to - from)}%`,
          y: '30%',
          height: '40%',
        }),
    marker(scale(value)),
  )
}

/**
 * Returns a dot at the value, or an arrow at the edge for a value outside the scale.
 *
 * @param {number} at
 */
function marker(at) {
  if (at >= EDGE && at <= 100 - EDGE) return svg('circle', { class: 'dot', cx: `${at}%`, cy: '50%', r: 5 })
  const isHigh = at > 100 - EDGE
  const points = isHigh ? '-9,-6 0,0 -9,6' : '9,-6 0,0 9,6'
  return svg(
    'svg',
    { class: 'edge', x: isHigh ? '100%' : '0', y: '50%', overflow: 'visible' },
    svg('polygon', { class: 'dot', points }),
  )
}

/** @param {number} place */
function clamp(place) {
  return Math.min(100, Math.max(0, Math.round(place * 100) / 100))
}
