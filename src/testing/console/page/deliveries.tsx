import type { listDeliveries, showDelivery } from '../traffic.js'
import {
  Act,
  Copy,
  closeDialog,
  Form,
  Input,
  openDialog,
  Select,
  Submit,
  TextArea,
  textOf,
} from './actions.js'
import { curlOf } from './curl.js'
import { labelOf, ms, number, plural, pretty } from './format.js'
import { byStatus, type ListView } from './list.js'
import {
  Block,
  Columns,
  Empty,
  Facts,
  Fold,
  FoldedJson,
  Head,
  Headers,
  HttpPill,
  Pill,
  REPEATS,
  Text,
  Time,
} from './parts.js'
import { choices, overview } from './state.js'

type Summary = ReturnType<typeof listDeliveries>['items'][number]
type Detail = ReturnType<typeof showDelivery>

const STATUSES = ['waiting', 'ready', 'sending', 'delivered', 'failed']
const MAX_BODY = 4_000

export const deliveries: ListView<Summary, Detail> = {
  name: 'deliveries',
  label: 'Deliveries',
  path: '/console/deliveries',
  searchHint: 'Event, URL, status or UUID',
  filters: [
    byStatus(() => STATUSES),
    { name: 'event', any: 'Any event', options: ({ events }) => events.map((name) => [name, name]) },
    { name: 'url', any: 'Any endpoint', options: () => overview.value.webhookUrls.map((url) => [url, url]) },
  ],
  Tools: () => (
    <a class="button" href="#/deliveries/webhooks">
      Webhooks
    </a>
  ),
  whenEmpty: 'No deliveries yet. Add a webhook, then change a referral or a result.',
  idOf: ({ position }) => position,
  row: ({ eventName, url, status, attempts, lastStatus, failure, queuedAt, repeat, blockedBy }) => ({
    main: <span class="mono">{eventName}</span>,
    below: (
      <>
        {repeat === null ? null : <span class="warn">{REPEATS[repeat]} · </span>}
        {[url, attempts === 0 ? null : plural(attempts, 'attempt'), lastStatus ?? failure]
          .filter((part) => part !== null)
          .join(' · ')}
      </>
    ),
    right: <Status status={status} blockedBy={blockedBy} />,
    rightBelow: <Time iso={queuedAt} />,
  }),
  Detail: DeliveryDetail,
}

/** A status; of a delivery that waits for another one, a link to that. */
function Status({ status, blockedBy }: Pick<Summary, 'status' | 'blockedBy'>) {
  if (blockedBy === null) return <Pill status={status} />
  const { position, eventName } = blockedBy
  return (
    <a href={`#/deliveries/${position}`} title={`Waits for delivery ${position}, ${eventName}`}>
      <Pill status={status}>Waiting for {position}</Pill>
    </a>
  )
}

function DeliveryDetail({ detail }: { detail: Detail }) {
  const { eventName, eventUuid, entityUuid, entity, status, faults, repeat, body, blockedBy } = detail
  const marks = (
    <>
      <Status status={status} blockedBy={blockedBy} />
      {faults.map((fault) => (
        <Pill key={fault} tone="bad">
          {labelOf(fault)}
        </Pill>
      ))}
      {repeat === null ? null : <Pill tone="warn">{REPEATS[repeat]}</Pill>}
    </>
  )
  const sent = {
    method: 'POST',
    url: detail.url,
    headers: detail.attemptList.at(-1)?.headers ?? { 'content-type': 'application/json' },
    body,
  }
  return (
    <article>
      <Head title={eventName} marks={marks} id={eventUuid} mono />
      <div class="action-bar">
        <Act
          label="Resend"
          tone="main"
          title="Sends the same bytes to the same webhooks again"
          command={{ path: `/events/${eventUuid}/resend`, done: 'Event sent again' }}
        />
        <button type="button" class="button" onClick={() => openEventForm(detail)}>
          Edit and send again
        </button>
        <Copy label="Copy as curl" text={curlOf(sent)} />
      </div>
      <Block title="Attempts">
        <Attempts detail={detail} />
      </Block>
      <Block title="Event">
        <Facts
          rows={[
            ['URL', detail.url],
            ['Entity', entity === null ? entityUuid : <a href={`#/${entity}/${entityUuid}`}>{entityUuid}</a>],
            ['Event', <Time key="event" iso={detail.emittedAt} />],
            ['Queued', <Time key="queued" iso={detail.queuedAt} />],
            ['Next attempt', <Time key="next" iso={detail.nextAttemptAt} />],
            [
              'Waits for',
              blockedBy === null ? null : (
                <a href={`#/deliveries/${blockedBy.position}`}>
                  delivery {blockedBy.position}, {blockedBy.eventName}
                </a>
              ),
            ],
          ]}
        />
      </Block>
      <Block title="Body">
        <p class="muted">{number(new TextEncoder().encode(body).length)} bytes, exactly as signed</p>
        <Text wrapped>{body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)} …` : body}</Text>
      </Block>
      <FoldedJson summary="Formatted body" value={body} />
    </article>
  )
}

function Attempts({ detail: { attemptList } }: { detail: Detail }) {
  if (attemptList.length === 0) return <Empty>No attempts yet.</Empty>
  return (
    <>
      <table class="plain attempts">
        <Columns titles={['Attempt', 'Sent', 'Response', 'Duration', 'Signature']} />
        <tbody>
          {attemptList.map((attempt) => (
            <AttemptRow key={attempt.number} attempt={attempt} />
          ))}
        </tbody>
      </table>
      {attemptList.map(({ number: place, headers, responseHeaders, responseBody }) => (
        <Fold key={place} summary={`Headers and response of attempt ${place}`}>
          <h4>Sent headers</h4>
          <Headers headers={headers} />
          <h4>Received headers</h4>
          <Headers headers={responseHeaders} />
          <h4>Received body</h4>
          {responseBody === null || responseBody === '' ? (
            <Empty>No body.</Empty>
          ) : (
            <Text wrapped>{responseBody}</Text>
          )}
        </Fold>
      ))}
    </>
  )
}

function AttemptRow({ attempt }: { attempt: Detail['attemptList'][number] }) {
  const { number: place, startedAt, status, failure, durationMs, signature, isSignatureValid } = attempt
  return (
    <tr>
      <td class="muted">{place}</td>
      <td>
        <Time iso={startedAt} />
      </td>
      <td>
        {status === null && failure === null ? 'sending' : <HttpPill status={status} />}
        {failure === null || status !== null ? null : <span class="muted"> {failure}</span>}
      </td>
      <td class="muted">{ms(durationMs)}</td>
      <td class="signature">
        <Pill tone={isSignatureValid ? 'good' : 'bad'}>
          Signature {isSignatureValid ? 'valid' : 'invalid'}
        </Pill>
        <Copy text={signature}>{`${signature.slice(0, 12)}…${signature.slice(-6)}`}</Copy>
      </td>
    </tr>
  )
}

/** Opens a form that sends an event with edited data to every webhook that has it. */
function openEventForm({ eventName, entityUuid, body }: Detail): void {
  const data: unknown = Object(JSON.parse(body)).data
  openDialog({
    title: 'Send an edited event',
    size: 'wide',
    content: (
      <EventForm {...{ eventName, entityUuid, data: pretty(JSON.stringify(data)) }} sent={closeDialog} />
    ),
  })
}

interface EventFormProps {
  readonly eventName?: string
  readonly entityUuid?: string
  readonly data?: string
  readonly sent?: () => void
}

export function EventForm({ eventName = '', entityUuid = '', data, sent }: EventFormProps) {
  const command = (fields: FormData) => {
    const given = { entityUuid: textOf(fields, 'entityUuid') }
    const edited = textOf(fields, 'data')
    return {
      path: '/trigger',
      body: {
        eventName: textOf(fields, 'eventName'),
        ...(given.entityUuid === '' ? {} : given),
        ...(edited === '' ? {} : { data: JSON.parse(edited) }),
      },
      done: ({ deliveries: count }: { deliveries: number }) =>
        count > 0 ? `Deliveries added: ${count}` : 'Not sent: no active webhook has this event',
    }
  }
  return (
    <Form name="trigger" command={command} {...(sent === undefined ? {} : { sent })}>
      <Select
        label="Event"
        name="eventName"
        options={choices.value.events.map((name) => [name, name])}
        selected={eventName}
      />
      <div class="grow">
        <Input
          label="Entity"
          name="entityUuid"
          placeholder="UUID, default the newest"
          defaultValue={entityUuid}
        />
      </div>
      {data === undefined ? null : <TextArea label="Data" name="data" rows={14} defaultValue={data} />}
      <Submit>Send</Submit>
      <p class="hint">Sends a new event, without changing the entity, to every webhook that has it.</p>
    </Form>
  )
}
