import type { showRequest } from '../traffic.js'
import { useRead } from './control.js'
import { json, ms } from './format.js'
import { Block, Empty, Head } from './parts.js'

export type RequestEntry = ReturnType<typeof showRequest>

/** Longer texts would make the page slow. */
const MAX_LINES = 600

interface Line {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** Two requests, `12~15` in the address, line by line: `-` marks what only the first has, `+` what only the second has. */
export function Comparison({ id }: { id: string }) {
  const [first = '', second = ''] = id.split('~')
  const one = useRead<RequestEntry>(`/console/requests/${first}`)
  const other = useRead<RequestEntry>(`/console/requests/${second}`)
  const failure = one.failure ?? other.failure
  if (failure !== undefined) return <Empty>These requests can't be compared: {failure}</Empty>
  if (one.data === undefined || other.data === undefined) return null
  const pair = [one.data, other.data] as const
  return (
    <article>
      <Head title={`Request ${first} and request ${second}`}>
        <p class="links">
          <a href={`#/requests/${first}`}>Request {first}</a>
          <a href={`#/requests/${second}`}>Request {second}</a>
          <a href={`#/requests/${second}~${first}`}>The other way round</a>
        </p>
      </Head>
      <Difference title="Request" pair={pair} textOf={summaryOf} />
      <Difference title="Request headers" pair={pair} textOf={({ headers }) => headerLines(headers)} />
      <Difference title="Request body" pair={pair} textOf={({ body }) => (body === null ? '' : json(body))} />
      <Difference
        title="Response headers"
        pair={pair}
        textOf={(entry) => headerLines(entry.responseHeaders)}
      />
      <Difference title="Response body" pair={pair} textOf={({ responseBody }) => json(responseBody ?? '')} />
    </article>
  )
}

interface DifferenceProps {
  readonly title: string
  readonly pair: readonly [RequestEntry, RequestEntry]
  readonly textOf: (entry: RequestEntry) => string
}

function Difference({ title, pair: [one, other], textOf }: DifferenceProps) {
  const lines = differenceOf(textOf(one), textOf(other))
  const changed = lines.filter(({ kind }) => kind !== 'same').length
  return (
    <Block title={title}>
      {changed === 0 ? (
        <Empty>No difference.</Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        <pre class="difference" tabIndex={0}>
          {lines.map(({ kind, text }, place) => (
            <span key={place} data-kind={kind}>
              {{ same: '  ', gone: '- ', new: '+ ' }[kind]}
              {text}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </Block>
  )
}

function summaryOf({ method, path, status, code, durationMs, fault }: RequestEntry): string {
  const facts = [`${method} ${path}`, `status ${status ?? 'none'}`, `code ${code ?? 'none'}`, ms(durationMs)]
  return [...facts, ...(fault === null ? [] : [`fault ${fault}`])].join('\n')
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n')
}

/** Returns the lines of both texts in order, by their longest common subsequence. */
function differenceOf(before: string, after: string): Line[] {
  const one = before.split('\n').slice(0, MAX_LINES)
  const other = after.split('\n').slice(0, MAX_LINES)
  const lengths = commonLengths(one, other)
  const lines: Line[] = []
  let left = 0
  let right = 0
  while (left < one.length || right < other.length) {
    const text = one[left]
    const next = other[right]
    if (text !== undefined && text === next) {
      lines.push({ kind: 'same', text })
      left += 1
      right += 1
    } else if (
      text !== undefined &&
      lengthAt(lengths, left + 1, right) >= lengthAt(lengths, left, right + 1)
    ) {
      lines.push({ kind: 'gone', text })
      left += 1
    } else {
      lines.push({ kind: 'new', text: next ?? '' })
      right += 1
    }
  }
  return lines
}

/** Returns, for each pair of places, the length of the longest common subsequence from there on. */
function commonLengths(one: readonly string[], other: readonly string[]): number[][] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0))
  for (let left = one.length - 1; left >= 0; left -= 1)
    for (let right = other.length - 1; right >= 0; right -= 1) {
      const row = lengths[left]
      if (row === undefined) continue
      row[right] =
        one[left] === other[right]
          ? lengthAt(lengths, left + 1, right + 1) + 1
          : Math.max(lengthAt(lengths, left + 1, right), lengthAt(lengths, left, right + 1))
    }
  return lengths
}

function lengthAt(lengths: readonly (readonly number[])[], left: number, right: number): number {
  return lengths[left]?.[right] ?? -1
}
