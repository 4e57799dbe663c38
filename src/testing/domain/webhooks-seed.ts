import type { FakeContext } from '../server/context.js'
import { webhookDrivers } from './webhooks-methods.js'

/** The webhooks at the start: another organisation's, never found, and the one of `options.webhookUrl`. */
export function seedWebhooks(context: FakeContext): void {
  webhookDrivers.createForeign(context)
  const { webhookUrl } = context.options
  if (webhookUrl !== undefined) webhookDrivers.createInPortal(context, { url: webhookUrl })
}
