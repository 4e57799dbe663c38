import type { listRequests } from '../traffic.js'
import { Copy, closeDialog, Form, Input, openDialog, Submit, TextArea, textOf } from './actions.js'
import type { RequestEntry } from './compare.js'
import { curlOf, headersToSend } from './curl.js'
import { json, ms, pretty, size } from './format.js'
import type { ListView } from './list.js'
import { Block, Empty, Facts, Head, Headers, HttpPill, Text, Time } from './parts.js'
import { go, overview } from './state.js'

type Summary = ReturnType<typeof listRequests>['items'][number]

export const requests: ListView<Summary, RequestEntry> = {
  name: 'requests',
  label: 'Requests',
  path: '/console/requests',
  searchHint: 'Path, endpoint, status or code',
  filters: [
    {
      name: 'show',
      any: 'Any status',
      options: () => [
        ['errors', 'Errors'],
        ['faults', 'With a fault'],
        ['changes', 'Changes'],
        ['2', '2xx'],
        ['4', '4xx'],
        ['5', '5xx'],
      ],
    },
    { name: 'route', any: 'Any endpoint', options: ({ endpoints }) => endpoints.map((id) => [id, id]) },
  ],
  Tools: () => (
    <button type="button" class="button" onClick={() => openSender()}>
      New request
    </button>
  ),
  whenEmpty: 'No requests yet. Connect a client to the base URL.',
  idOf: ({ number }) => number,
  row: ({ method, path, route, status, code, durationMs, fault, repeatOf, time }) => ({
    main: (
      <span class="mono">
        <b>{method}</b> {path}
      </span>
    ),
    below: (
      <>
        {[route ?? 'unknown route', code, ms(durationMs)].filter((part) => part !== null).join(' · ')}
        {fault === null ? null : <span class="bad"> · fault {fault}</span>}
        {repeatOf === null ? null : <span class="warn"> · repeats {repeatOf}</span>}
      </>
    ),
    right: <HttpPill status={status} />,
    rightBelow: <Time iso={time} />,
  }),
  Detail: RequestDetail,
}

function RequestDetail({ detail: entry }: { detail: RequestEntry }) {
  const { number, method, path, status, route, fault, repeatOf, headers, body } = entry
  const { baseUrl, authUrl, documentsUrl } = overview.value
  const url = `${{ api: baseUrl, auth: authUrl, documents: documentsUrl }[entry.part]}${path}`
  const text = body === null ? null : bodyText(headers['content-type'] ?? '', body)
  return (
    <article>
      <Head title={`${method} ${path}`} marks={<HttpPill status={status} />} mono />
      <div class="action-bar">
        {entry.part === 'api' ? (
          <button
            type="button"
            class="button"
            data-tone="main"
            onClick={() => openSender({ method, path, headers, body: text ?? '' })}
          >
            Edit and send again
          </button>
        ) : null}
        <Copy label="Copy as curl" text={curlOf({ method, url, headers, body: text })} />
        <a class="button" href={`#/faults/${encodeURIComponent(`${method} ${path.split('?')[0]}`)}`}>
          Add a fault for this route
        </a>
      </div>
      <Block title="Request">
        <Facts
          rows={[
            ['Number', number],
            ['Time', <Time key="time" iso={entry.time} />],
            ['Duration', ms(entry.durationMs)],
            ['Endpoint', route ?? 'none'],
            ['Error code', entry.code],
            ['Fault', fault === null ? '' : <span class="bad">fault {fault} applied</span>],
            ['Repeats', repeatOf === null ? '' : <a href={`#/requests/${repeatOf}`}>request {repeatOf}</a>],
            ['Response', status === null ? 'none' : `${status}, ${size(entry.responseBytes)}`],
          ]}
        />
      </Block>
      <CompareForm entry={entry} />
      <Block title="Request headers">
        <Headers headers={headers} />
      </Block>
      <Block title="Request body">
        {body === null ? <Empty>No JSON body.</Empty> : <Text>{json(body)}</Text>}
      </Block>
      <Block title="Response headers">
        <Headers headers={entry.responseHeaders} />
      </Block>
      <Block title="Response body">
        <ResponseBody entry={entry} />
      </Block>
    </article>
  )
}

function CompareForm({ entry: { number, previous, repeatOf } }: { entry: RequestEntry }) {
  const compare = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    go('requests', `${number}~${textOf(new FormData(event.currentTarget), 'other')}`)
  }
  return (
    <Block title="Compare">
      <form class="form" onSubmit={compare}>
        <Input
          label="With request"
          name="other"
          type="number"
          min={1}
          required
          defaultValue={String(repeatOf ?? previous ?? '')}
        />
        <button type="submit" class="button">
          Compare
        </button>
      </form>
    </Block>
  )
}

function ResponseBody({ entry }: { entry: RequestEntry }) {
  const { status, responseBody: text, isResponseBodyCut, responseBytes, responseHeaders } = entry
  if (status === null) return <Empty>No response.</Empty>
  if (text === null)
    return (
      <Empty>
        {size(responseBytes)} of {responseHeaders['content-type'] ?? 'data'}.
      </Empty>
    )
  if (text === '') return <Empty>No body.</Empty>
  return (
    <>
      <Text>{json(text)}</Text>
      {isResponseBodyCut ? <p class="muted">The first part of {size(responseBytes)}.</p> : null}
    </>
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

interface Draft {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const NEW_DRAFT: Draft = { method: 'GET', path: '/v1/referrals', headers: {}, body: '' }

/** Opens a form that sends a request over the API, as a client with a new access token does. */
export function openSender({ method, path, headers, body }: Draft = NEW_DRAFT): void {
  const command = (fields: FormData) => ({
    path: '/console/send',
    body: {
      method: textOf(fields, 'method').toUpperCase(),
      path: textOf(fields, 'path'),
      headers: headersOf(textOf(fields, 'headers')),
      body: textOf(fields, 'body'),
    },
    done: ({ number }: { number: number }) => `Sent as request ${number}`,
    go: ({ number }: { number: number }) => `#/requests/${number}`,
  })
  const lines = Object.entries(headersToSend(headers)).map(([name, value]) => `${name}: ${value}`)
  openDialog({
    title: 'Send a request',
    size: 'wide',
    content: (
      <Form name="send" command={command} sent={closeDialog}>
        <Input label="Method" name="method" required size={7} defaultValue={method} />
        <div class="grow">
          <Input label="Path" name="path" required defaultValue={path} />
        </div>
        <TextArea
          label="Headers (an access token is added)"
          name="headers"
          rows={3}
          defaultValue={lines.join('\n')}
        />
        <TextArea label="Body" name="body" rows={12} defaultValue={pretty(body)} />
        <Submit>Send</Submit>
      </Form>
    ),
  })
}

function headersOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.includes(':'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}
