import type { Result } from '../../../contract/types.js'
import { flagOf, formatRange, numberOf } from '../../../display/display-text.js'
import { Columns } from './parts.js'

type Biomarker = Result['biomarkers'][number]

interface Range {
  readonly name: string
  readonly low: number | null
  readonly high: number | null
}

/** Returns the position of a value in per cent, which can lie outside 0 to 100. */
type Scale = (value: number) => number

/** Positions of the limits of the reference interval on every chart, in per cent. */
const LOW_AT = 30
const HIGH_AT = 66
/** Space at both ends for values outside the scale, in per cent. */
const EDGE = 3

const MARKS: Readonly<Record<string, readonly [letter: string, words: string] | undefined>> = {
  low: ['L', 'below the interval'],
  high: ['H', 'above the interval'],
}

/** The biomarkers by category, with a chart of each value in its ranges. */
export function BiomarkerTables({ biomarkers }: { biomarkers: Result['biomarkers'] }) {
  const names = [...new Set(biomarkers.map(({ category }) => category.name))]
  return (
    <>
      {names.map((name) => (
        <table key={name} class="biomarkers">
          <caption>{name}</caption>
          <col />
          <Columns titles={['Name', 'Value', 'Ranges', 'Interval']} hidden />
          <tbody>
            {biomarkers
              .filter(({ category }) => category.name === name)
              .map((biomarker) => (
                <BiomarkerRows key={biomarker.id} biomarker={biomarker} />
              ))}
          </tbody>
        </table>
      ))}
    </>
  )
}

function BiomarkerRows({ biomarker }: { biomarker: Biomarker }) {
  const { id, name, notes, formattedValue, valueType, canonical, isAbnormal } = biomarker
  const reading = standardReading(biomarker)
  const { refIntervalLow: low, refIntervalHigh: high } = reading
  const flag = flagOf(reading)
  const [letter, words] = MARKS[flag] ?? (isAbnormal === true ? ['A', 'abnormal'] : [])
  const reference = low === null && high === null ? undefined : { name: 'Reference interval', low, high }
  const others = (reading.additionalRanges ?? []).map(
    (range): Range => ({ name: range.name, low: range.lowRange, high: range.highRange }),
  )
  const value = valueType === 'numeric' ? numberOf(reading)?.value : undefined
  const scale = value === undefined ? undefined : scaleOf(value, reference, others)
  const said = words ?? (flag === 'normal' ? 'inside the interval' : undefined)
  const chart = (range: Range | undefined, kind: string, label?: string) =>
    value === undefined || scale === undefined ? null : <Chart {...{ value, scale, range, kind, label }} />
  return (
    <>
      <tr data-biomarker={id} data-abnormal={letter !== undefined}>
        <th scope="row">
          {name}
          {notes === null ? null : <span class="note">{notes}</span>}
          {canonical.status === 'converted' ? <span class="note">Reported as {formattedValue}</span> : null}
        </th>
        <td class="value">
          {reading.formattedValue}
          {letter === undefined ? null : (
            <abbr class="flag" title={words}>
              {letter}
            </abbr>
          )}
        </td>
        <td class="chart">
          {chart(
            reference,
            reference === undefined ? 'none' : 'reference',
            [reading.formattedValue, said].filter((part) => part !== undefined).join(': '),
          )}
        </td>
        <td class="interval">{formatRange(reading)}</td>
      </tr>
      {others.map((range) => (
        <tr key={range.name} class="additional">
          <th scope="row" colSpan={2}>
            {range.name}
          </th>
          <td class="chart">{chart(range, 'additional')}</td>
          <td class="interval">
            {formatRange({ ...reading, refIntervalLow: range.low, refIntervalHigh: range.high })}
          </td>
        </tr>
      ))}
    </>
  )
}

/** Returns the value in the canonical unit, so that a result has one system of units; otherwise as it was reported. */
function standardReading(biomarker: Biomarker) {
  const { canonical } = biomarker
  if (canonical.value === null || canonical.formattedValue === null) return biomarker
  return { ...canonical, isAbnormal: biomarker.isAbnormal, formattedValue: canonical.formattedValue }
}

/**
 * Returns the scale of a chart. Each limit of the reference interval has the same position on every chart. Without a
 * reference interval, the additional ranges define the scale.
 */
function scaleOf(value: number, reference: Range | undefined, others: readonly Range[]): Scale | undefined {
  if (reference !== undefined) return intervalScale(reference)
  const bounds = others.flatMap(({ low, high }) => [low, high]).filter((bound) => bound !== null)
  if (bounds.length === 0) return undefined
  const low = Math.min(...bounds, value)
  const high = Math.max(...bounds, value)
  const [from, to] = low === high ? [low - 1, high + 1] : [low, high]
  return linear(from, 2 * EDGE, to, 100 - 2 * EDGE)
}

function intervalScale({ low, high }: Range): Scale {
  if (low !== null && high !== null && high > low) return linear(low, LOW_AT, high, HIGH_AT)
  if (high !== null) return linear(Math.min(0, high - 1), EDGE, high, HIGH_AT)
  return linear(Math.min(0, (low ?? 0) - 1), EDGE, low ?? 0, LOW_AT)
}

/** Returns the scale that shows `from` at `fromAt` per cent, and `to` at `toAt` per cent. */
function linear(from: number, fromAt: number, to: number, toAt: number): Scale {
  return (value) => fromAt + ((value - from) / (to - from)) * (toAt - fromAt)
}

interface ChartProps {
  readonly value: number
  readonly scale: Scale
  readonly range: Range | undefined
  readonly kind: string
  /** Text for screen readers; absent if another row of the biomarker has it. */
  readonly label?: string | undefined
}

function Chart({ value, scale, range, kind, label }: ChartProps) {
  const low = range?.low ?? Number.NEGATIVE_INFINITY
  const high = range?.high ?? Number.POSITIVE_INFINITY
  const from = clamp(scale(low))
  const to = clamp(scale(high))
  return (
    <svg
      class={kind}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined ? 'true' : undefined}
      data-inside={value >= low && value <= high}
    >
      <rect class="track" x="0" width="100%" y="38%" height="24%" rx={2} />
      {range === undefined ? null : (
        <rect class="band" x={`${from}%`} width={`${Math.max(0, to - from)}%`} y="30%" height="40%" />
      )}
      <Marker at={scale(value)} />
    </svg>
  )
}

/** A dot at the value, or an arrow at the edge for a value outside the scale. */
function Marker({ at }: { at: number }) {
  if (at >= EDGE && at <= 100 - EDGE) return <circle class="dot" cx={`${at}%`} cy="50%" r={5} />
  const isHigh = at > 100 - EDGE
  return (
    <text class="dot" x={isHigh ? '100%' : '0'} y="75%" text-anchor={isHigh ? 'end' : 'start'}>
      {isHigh ? '▶' : '◀'}
    </text>
  )
}

function clamp(place: number): number {
  return Math.min(100, Math.max(0, Math.round(place * 100) / 100))
}
