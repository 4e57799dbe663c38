import type { FakeCore } from '../core/fake-core.js'
import type { JournalEntry } from '../server/journal.js'
import { ROUTES } from '../server/routes.js'
import { curlOf, headersToSend } from './curl.js'
import { headerLines, json, ms, parsedJson, pretty, size } from './format.js'
import { sendButton } from './send.js'
import { httpMark, link, type Page, type Section, type TableRow, time, type View } from './view.js'

/** Filters by the value of `?show=`; any other value is the first digit of a status. */
const KINDS: Readonly<Record<string, (entry: JournalEntry) => boolean>> = {
  errors: ({ status }) => status === null || status >= 400,
  faults: ({ fault }) => fault !== null,
  changes: ({ method, part }) => part === 'api' && method !== 'GET',
}

export const requests: View<JournalEntry> = {
  name: 'requests',
  tab: 'Requests',
  records: 'requests',
  searchHint: 'Path, endpoint, status or code',
  whenEmpty: 'No requests yet. Connect a client to the base URL.',
  buttons: [sendButton('Send a request', { method: 'GET', path: '/v1/referrals' })],
  filters: {
    show: {
      any: 'Any status',
      options: () => [
        ['errors', 'Errors'],
        ['faults', 'With a fault'],
        ['changes', 'Changes'],
        ['2', '2xx'],
        ['4', '4xx'],
        ['5', '5xx'],
      ],
      test: (entry, wanted) => KINDS[wanted]?.(entry) ?? String(entry.status).startsWith(wanted),
    },
    route: {
      any: 'Any endpoint',
      options: () => ROUTES.map(({ id }) => [id, id]),
      test: ({ route }, wanted) => route === wanted,
    },
  },
  rows: (core) => core.requests(),
  position: ({ number }) => number,
  texts: ({ method, path, route, code, status }) => [`${method} ${path}`, route, code, status],
  show: ({ number, method, path, route, code, durationMs, fault, repeatOf, status, time: at }) => ({
    id: number,
    title: `${method} ${path}`,
    isCode: true,
    below: [
      route ?? 'unknown route',
      code,
      ms(durationMs),
      fault && `fault ${fault}`,
      repeatOf && `repeats ${repeatOf}`,
    ],
    mark: httpMark(status),
    time: at,
  }),
  page: (core, id) => {
    const [one = '', other] = id.split('~')
    return other === undefined
      ? requestPage(core, requestOf(core, one))
      : comparison(requestOf(core, one), requestOf(core, other))
  },
}

function requestOf(core: FakeCore, number: string): JournalEntry {
  const entry = core.requests().find((one) => one.number === Number(number))
  if (entry === undefined) throw new Error(`the fake has no request ${number}`)
  return entry
}

function requestPage(core: FakeCore, entry: JournalEntry): Page {
  const { number, method, path, part, status, route, fault, repeatOf, headers } = entry
  const body = entry.body === null ? null : bodyText(headers['content-type'] ?? '', entry.body)
  const previous = core.requests().findLast((one) => one.number < number && one.route === route)
  const draft = { method, path, headers: headersToSend(headers), body: pretty(body ?? '') }
  const again = { ...sendButton('Edit and send again', draft), tone: 'main' } as const
  return {
    title: `${method} ${path}`,
    isCode: true,
    marks: [httpMark(status)],
    buttons: [
      ...(part === 'api' ? [again] : []),
      { label: 'Copy as curl', copy: curlOf({ method, url: `${core.origins[part]}${path}`, headers, body }) },
      {
        label: 'Compare',
        description: 'Shows the fields of two requests that differ',
        fields: { other: 'integer: number of the other request' },
        values: { other: repeatOf ?? previous?.number },
        href: `#/requests/${number}~{other}`,
      },
      {
        label: 'Add a fault for this route',
        href: `#/faults/${encodeURIComponent(`${method} ${path.split('?')[0]}`)}`,
      },
    ],
    sections: [
      {
        title: 'Request',
        facts: [
          ['Number', number],
          ['Time', time(entry.time)],
          ['Duration', ms(entry.durationMs)],
          ['Endpoint', route ?? 'none'],
          ['Error code', entry.code],
          ['Fault', fault && `fault ${fault} applied`],
          ['Repeats', repeatOf && link(`requests/${repeatOf}`, `request ${repeatOf}`)],
          ['Response', status === null ? 'none' : `${status}, ${size(entry.responseBytes)}`],
        ],
      },
      { title: 'Request headers', text: headerLines(headers), whenEmpty: 'None.' },
      {
        title: 'Request body',
        text: entry.body === null ? '' : json(entry.body),
        whenEmpty: 'No JSON body.',
      },
      { title: 'Response headers', text: headerLines(entry.responseHeaders), whenEmpty: 'None.' },
      responseBody(entry),
    ],
  }
}

function responseBody({
  status,
  responseBody: text,
  isResponseBodyCut,
  responseBytes,
}: JournalEntry): Section {
  const whenEmpty = status === null ? 'No response.' : `${size(responseBytes)} that are not text.`
  return {
    title: 'Response body',
    ...(isResponseBodyCut && { hint: `The first part of ${size(responseBytes)}.` }),
    text: json(text ?? ''),
    whenEmpty: text === '' ? 'No body.' : whenEmpty,
  }
}

/** The fields of two requests and of their responses that differ. */
function comparison(one: JournalEntry, other: JournalEntry): Page {
  const section = (title: string, partOf: (entry: JournalEntry) => unknown): Section => ({
    title,
    columns: ['Field', `Request ${one.number}`, `Request ${other.number}`],
    rows: differences(partOf(one), partOf(other)),
    whenEmpty: 'No difference.',
  })
  const numbers = [one.number, other.number]
  return {
    title: `Request ${numbers.join(' and request ')}`,
    links: [
      ...numbers.map((number) => link(`requests/${number}`, `Request ${number}`)),
      link(`requests/${numbers.toReversed().join('~')}`, 'The other way round'),
    ],
    sections: [
      section('Request', ({ method, path, status, code, fault, durationMs }) => ({
        ...{ method, path, status, code, fault },
        duration: ms(durationMs),
      })),
      section('Request headers', ({ headers }) => headers),
      section('Request body', ({ body }) => body),
      section('Response headers', ({ responseHeaders }) => responseHeaders),
      section('Response body', ({ responseBody: text }) => parsedJson(text ?? '')),
    ],
  }
}

function differences(one: unknown, other: unknown): TableRow[] {
  const before = new Map(leavesOf(one))
  const after = new Map(leavesOf(other))
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names
    .map((name) => [name, before.get(name), after.get(name)] as const)
    .filter(([, left, right]) => left !== right)
    .map((cells) => ({ cells }))
}

/** The single values in a JSON value, with their places: `person.address.city` or `tests.0`. */
function leavesOf(value: unknown, place = ''): [place: string, text: string][] {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? [] : [[place, typeof value === 'string' ? value : JSON.stringify(value)]]
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, place === '' ? name : `${place}.${name}`),
  )
}

/** Returns the body as it was sent, apart from its white space and masked secrets. */
function bodyText(type: string, body: unknown): string {
  if (!type.includes('form-urlencoded')) return JSON.stringify(body)
  const fields = Object.entries(Object(body)).map(([name, value]) => {
    const text = String(value)
    return `${name}=${text === '[redacted]' ? text : encodeURIComponent(text)}`
  })
  return fields.join('&')
}
