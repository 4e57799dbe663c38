import { Possible } from '../ledger.js'
import type { Session } from '../session.js'

/** An event that never happens here, so that nothing is delivered. */
const EVENTS = ['collection_centres.updated'] as const

export async function subscribe(session: Session): Promise<void> {
  const url = `https://${session.unique('hooks')}.example.com/`
  const entry = { exists: new Possible(false), active: new Possible(true) }
  session.ledger.webhooks.set(url, entry)
  const attempt = await session.attempt('webhooks.create', (options) =>
    session.client.webhooks.create({ url, events: [...EVENTS] }, options),
  )
  entry.exists.changed(true, attempt.said)
  if (attempt.said !== 'done') return
  session.expect(attempt.value.url === url, `${url}: subscribed as ${attempt.value.url}`)
  session.webhooks.push({ id: attempt.value.id, url })
}

export async function pause(session: Session): Promise<void> {
  const mine = session.take(session.webhooks)
  if (mine === undefined) return
  const active = session.dice.chance(0.5)
  const attempt = await session.attempt('webhooks.update', (options) =>
    session.client.webhooks.update(mine.id, { active }, options),
  )
  session.ledger.webhooks.get(mine.url)?.active.changed(active, attempt.said)
  if (attempt.said === 'done' || !attempt.aborted) session.webhooks.push(mine)
}

export async function unsubscribe(session: Session): Promise<void> {
  const mine = session.take(session.webhooks)
  if (mine === undefined) return
  const attempt = await session.attempt('webhooks.delete', (options) =>
    session.client.webhooks.delete(mine.id, options),
  )
  session.ledger.webhooks.get(mine.url)?.exists.changed(false, attempt.said)
}

export async function listWebhooks(session: Session): Promise<void> {
  const attempt = await session.attempt('webhooks.list', (options) =>
    session.client.webhooks.list({ sort: 'asc' }, options).toArray(),
  )
  if (attempt.said !== 'done') return
  const seen = new Set(attempt.value.map(({ id }) => id))
  session.expect(seen.size === attempt.value.length, 'webhooks twice in a list')
}
