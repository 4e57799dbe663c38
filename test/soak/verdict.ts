import type { Ledger, OrderEntry, Said } from './ledger.js'
import type { ServiceAudit } from './service.js'

/** A condition that must hold after a soak. */
export interface Finding {
  readonly rule: string
  /** Violations; empty when it holds. */
  readonly broken: readonly string[]
}

/** Maximum number of token requests. */
export interface TokenBound {
  readonly clients: number
  /** Number of times that tokens became invalid: revoked, signed with another key, or expired. */
  readonly generations: number
}

/** A refresh, three attempts with the credentials, and some more when all of them get a fault. */
const REQUESTS_PER_GENERATION = 6

/** Compares the results of the client with the state of the service. */
export function judge(ledger: Ledger, audit: ServiceAudit, bound: TokenBound): Finding[] {
  return [
    { rule: 'no order is doubled', broken: doubledOrders(ledger, audit) },
    { rule: 'orders are there exactly as the client said', broken: wrongOrders(ledger, audit) },
    { rule: 'every order that was placed is known, or can be recovered', broken: lostOrders(ledger, audit) },
    { rule: 'one email an order', broken: emails(ledger, audit) },
    { rule: 'results lost: none', broken: lostResults(ledger, audit) },
    { rule: 'changes of referrals are as the client said', broken: wrongReferrals(ledger, audit) },
    { rule: 'no webhook is doubled, and all are as the client said', broken: wrongWebhooks(ledger, audit) },
    { rule: 'provider records are as the client said', broken: wrongProviders(ledger, audit) },
    { rule: 'requests for tokens keep within their bound', broken: tooManyTokens(audit, bound) },
    {
      rule: "the documents' origin has never seen the Authorization header",
      broken: audit.authorisedDocuments === 0 ? [] : [`${audit.authorisedDocuments} times`],
    },
    { rule: 'nothing else was wrong', broken: ledger.problems },
  ]
}

function placed({ referrals }: ServiceAudit, { referenceNumber }: OrderEntry): ServiceAudit['referrals'] {
  return referrals.filter((referral) => referral.referenceNumber === referenceNumber)
}

function doubledOrders({ orders }: Ledger, audit: ServiceAudit): string[] {
  return orders
    .map((entry) => ({ entry, count: placed(audit, entry).length }))
    .filter(({ entry, count }) => count > entry.makes)
    .map(({ entry, count }) => `${entry.referenceNumber}: ${count} referrals, not ${entry.makes}`)
}

function wrongOrders({ orders }: Ledger, audit: ServiceAudit): string[] {
  return orders.flatMap((entry) => {
    const { referenceNumber, said, makes, uuids } = entry
    const there = placed(audit, entry).map(({ uuid }) => uuid)
    const counts: Readonly<Record<Said, readonly number[]>> = {
      done: [makes],
      'not done': [0],
      unknown: [0, makes],
    }
    if (!counts[said].includes(there.length))
      return [`${referenceNumber}: ${said}, and ${there.length} there`]
    const wrong = uuids.filter((uuid) => !there.includes(uuid))
    return wrong.length === 0 ? [] : [`${referenceNumber}: said to be ${wrong.join()}`]
  })
}

/** After the faults, `recover()` must have found every placed order. Aborted orders have no `recover()`. */
function lostOrders({ orders }: Ledger, audit: ServiceAudit): string[] {
  return orders
    .filter(
      (entry) => entry.said === 'unknown' && entry.error !== undefined && placed(audit, entry).length > 0,
    )
    .map(({ referenceNumber }) => `${referenceNumber}: there, and recover() does not find it`)
}

function emails({ orders }: Ledger, audit: ServiceAudit): string[] {
  const expected = orders.filter((entry) => placed(audit, entry).length > 0).length
  return audit.emails === expected ? [] : [`${audit.emails} emails for ${expected} orders`]
}

function lostResults({ results, referrals }: Ledger, audit: ServiceAudit): string[] {
  const there = new Set(audit.results)
  const lost = [...results].filter((uuid) => !there.has(uuid)).map((uuid) => `result ${uuid} is not there`)
  const wrong = audit.referrals
    .filter(({ uuid, resultsUuid }) => referrals.get(uuid)?.hasResults.has(resultsUuid !== null) === false)
    .map(({ uuid, resultsUuid }) => `${uuid}: results ${resultsUuid}, which the client did not say`)
  return [...lost, ...wrong]
}

function wrongReferrals({ referrals }: Ledger, audit: ServiceAudit): string[] {
  const there = new Map(audit.referrals.map((referral) => [referral.uuid, referral]))
  return [...referrals].flatMap(([uuid, entry]) => {
    const referral = there.get(uuid)
    if (referral === undefined) return [`${uuid}: not there`]
    const updates = [...entry.updates]
      .filter(([key, said]) => said !== 'unknown' && referral.metadata.includes(key) !== (said === 'done'))
      .map(([key, said]) => `${uuid}: ${key} ${said}, and the service has it otherwise`)
    if (entry.deleted.has(referral.deleted)) return updates
    return [...updates, `${uuid}: deleted ${referral.deleted}, and not ${entry.deleted}`]
  })
}

function wrongWebhooks({ webhooks }: Ledger, audit: ServiceAudit): string[] {
  return [...webhooks].flatMap(([url, { exists, active }]) => {
    const there = audit.webhooks.filter((webhook) => webhook.url === url)
    if (there.length > 1) return [`${url}: ${there.length} webhooks`]
    const [webhook] = there
    if (!exists.has(webhook !== undefined)) return [`${url}: there ${webhook !== undefined}, not ${exists}`]
    if (webhook === undefined || active.has(webhook.active)) return []
    return [`${url}: active ${webhook.active}, not ${active}`]
  })
}

function wrongProviders({ providers }: Ledger, audit: ServiceAudit): string[] {
  const names = new Map(audit.providers.map(({ providerNumber, name }) => [providerNumber, name]))
  return [...providers]
    .filter(([number, possible]) => !possible.has(names.get(number)))
    .map(([number, possible]) => `${number}: ${names.get(number)}, not ${possible}`)
}

function tooManyTokens({ tokenRequests }: ServiceAudit, { clients, generations }: TokenBound): string[] {
  const most = clients * generations * REQUESTS_PER_GENERATION
  return tokenRequests <= most ? [] : [`${tokenRequests} requests, and the bound is ${most}`]
}
