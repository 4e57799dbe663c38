import type { listWebhooks } from '../traffic.js'
import { Act, Check, closeDialog, Form, Input, openDialog, Submit, textOf } from './actions.js'
import { useRead } from './control.js'
import { EventForm } from './deliveries.js'
import { labelOf, number, plural } from './format.js'
import { Block, Empty, Fold, Head, Pill } from './parts.js'
import { choices } from './state.js'

type Webhook = ReturnType<typeof listWebhooks>['webhooks'][number]

/** The webhooks, shown next to the deliveries if none is selected. */
export function Webhooks() {
  const { data } = useRead<ReturnType<typeof listWebhooks>>('/console/webhooks')
  if (data === undefined) return null
  const { webhooks, total } = data
  return (
    <article>
      <Head title="Webhooks" />
      <WebhookForm key={total} />
      {webhooks.length === 0 ? <Empty>No webhooks yet. Events are not delivered.</Empty> : null}
      <ul class="cards">
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} />
        ))}
      </ul>
      {total > webhooks.length ? <Empty>and {number(total - webhooks.length)} older webhooks</Empty> : null}
      <Block title="Send an event">
        <EventForm />
      </Block>
    </article>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, events, active } = webhook
  const path = `/webhooks/${id}`
  const edit = (): void =>
    openDialog({ title: 'Change the webhook', content: <WebhookForm webhook={webhook} />, size: 'wide' })
  return (
    <li>
      <span class="mono wide">{url}</span>
      <span class="muted" title={events.join(', ')}>
        {plural(events.length, 'event')}
      </span>
      <Pill tone={active ? 'good' : 'warn'}>{active ? 'Active' : 'Paused'}</Pill>
      <span class="actions">
        <Act
          label={active ? 'Pause' : 'Continue'}
          command={{
            method: 'PUT',
            path,
            body: { active: !active },
            done: active ? 'Webhook paused' : 'Webhook continues',
          }}
        />
        <button type="button" class="button" onClick={edit}>
          Change
        </button>
        <Act
          label="Delete"
          tone="bad"
          confirm={`Delete the webhook of ${url}?`}
          command={{ method: 'DELETE', path, done: 'Webhook deleted' }}
        />
      </span>
    </li>
  )
}

/** The URL and the events of a new webhook, or of one that exists. */
function WebhookForm({ webhook }: { webhook?: Webhook }) {
  const { events } = choices.value
  const command = (fields: FormData) => ({
    method: webhook === undefined ? ('POST' as const) : ('PUT' as const),
    path: webhook === undefined ? '/webhooks' : `/webhooks/${webhook.id}`,
    body: { url: textOf(fields, 'url'), events: fields.getAll('events') },
    done: webhook === undefined ? 'Webhook added' : 'Webhook changed',
  })
  return (
    <Form name="webhook" command={command} sent={closeDialog}>
      <div class="grow">
        <Input
          label="URL"
          name="url"
          type="url"
          required
          placeholder="http://127.0.0.1:3000/webhooks"
          defaultValue={webhook?.url ?? ''}
        />
      </div>
      <Submit>{webhook === undefined ? 'Add webhook' : 'Save'}</Submit>
      <Fold summary="Events" open={webhook !== undefined}>
        {['referral', 'result', 'collection_centres'].map((group) => (
          <fieldset key={group}>
            <legend>{labelOf(group)}</legend>
            {events
              .filter((name) => name.startsWith(`${group}.`))
              .map((name) => (
                <Check
                  key={name}
                  label={name.slice(group.length + 1)}
                  name="events"
                  value={name}
                  defaultChecked={webhook?.events.includes(name) ?? true}
                />
              ))}
          </fieldset>
        ))}
      </Fold>
      <p class="hint">Loopback URLs are accepted here, also with http.</p>
    </Form>
  )
}
