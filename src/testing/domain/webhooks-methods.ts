import { EVENT_NAMES, type EventName } from '../../contract/events.js'
import type { Webhook } from '../../contract/types.js'
import type { FakeContext } from '../server/context.js'
import type { OwnerNotice } from '../state/webhooks.js'
import { addWebhook, webhookView } from './webhooks.js'
import { uniqueEvents } from './webhooks-body.js'
import { checkWebhookUrl } from './webhooks-url.js'

/** What the service's portal does with webhooks, beside the API (§4.6). */
export const webhookDrivers = {
  /**
   * Adds a webhook as the portal does. Default: every event. Loopback URLs are accepted here, whatever the option
   * says; other internal addresses are not.
   */
  createInPortal(
    context: FakeContext,
    {
      url,
      events = EVENT_NAMES,
    }: { readonly url: string; readonly events?: readonly EventName[] | undefined },
  ): Webhook {
    const checked = checkWebhookUrl(url, { allowLoopback: true })
    if ('problem' in checked) throw new Error(`webhook url ${checked.problem}`)
    return webhookView(addWebhook(context, { url: checked.url, events: uniqueEvents(events) }))
  },
  /** A webhook of another organisation: its id gives WEBHOOK_NOT_FOUND. */
  createForeign(context: FakeContext): Webhook {
    const url = 'https://hooks.other-organisation.example/'
    return webhookView(addWebhook(context, { url, events: EVENT_NAMES, active: false }, 'other'))
  },
  /** The secret that this organisation's deliveries are signed with (§6); no endpoint returns it. */
  signingSecret(context: FakeContext): string {
    return context.state.webhooks.signingSecrets.own
  },
  /** The emails that owners and webhook managers would have got, oldest first (§4.6). */
  ownerNotices(context: FakeContext): OwnerNotice[] {
    return context.state.webhooks.ownerNotices
  },
} as const
