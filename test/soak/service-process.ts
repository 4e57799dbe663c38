import { FakePathologyService } from 'pathology-sdk/testing'
import type { ServiceAudit, ServiceOrder, ServiceReady, ServiceReply } from './service.js'
import { faultKinds } from './service-faults.js'

/** The fake in a separate process. Messages control it. */
async function serve(seed: number): Promise<void> {
  const fake = await FakePathologyService.start({
    seed,
    seedReferrals: 40,
    accessTokenSeconds: 1_200,
    documentUrlLifetimeMs: 5 * 60_000,
    sendWebhooks: false,
    journalLimit: 1_000_000,
  })
  const obey = async (order: ServiceOrder): Promise<unknown> => {
    switch (order.do) {
      case 'start-faults':
        for (const { fault, routes = ['*'], probability } of faultKinds(order.share)) {
          const when = { times: Number.POSITIVE_INFINITY, probability }
          for (const route of routes) fake.faults.next(route, fault, when)
        }
        return undefined
      case 'stop-faults':
        return fake.faults.clear()
      case 'advance':
        return fake.clock.advance({ milliseconds: order.ms })
      case 'revoke':
        return fake.tokens.revokeAll()
      case 'revoke-refresh':
        return fake.tokens.revokeRefreshTokens()
      case 'rotate-key':
        return fake.tokens.rotateSigningKey()
      case 'audit':
        return audit(fake)
      case 'stop':
        await fake.close()
        return process.disconnect()
    }
  }
  process.on('message', (order: ServiceOrder & { readonly id: number }) => {
    void obey(order).then(
      (value) => order.do === 'stop' || send({ id: order.id, value }),
      (error: unknown) => send({ id: order.id, error: String(error) }),
    )
  })
  send({ ready: fake.clientOptions() })
}

function send(message: ServiceReply | { readonly ready: ServiceReady }): void {
  process.send?.(message)
}

function audit(fake: FakePathologyService): ServiceAudit {
  const { requests } = fake
  const authorised = requests.filter(({ headers }) => headers['authorization'] !== undefined)
  return {
    referrals: fake.referrals.all().map((referral) => ({
      uuid: referral.uuid,
      referenceNumber: referral.referenceNumber,
      deleted: referral.deletedAt !== null,
      metadata: Object.keys(referral.metadata ?? {}),
      resultsUuid: referral.resultsUuid,
    })),
    results: fake.results.all().map(({ uuid }) => uuid),
    webhooks: fake.snapshot().state.webhooks.lists.own.map(({ id, url, active }) => ({ id, url, active })),
    providers: fake.providers.all().map(({ providerNumber, name }) => ({ providerNumber, name })),
    emails: fake.referrals.emails().length,
    requests: requests.count,
    faults: requests.filter(({ fault }) => fault !== null).length,
    tokenRequests: requests.filter(({ part }) => part === 'auth').length,
    refreshes: requests.filter(({ part, body }) => part === 'auth' && isRefresh(body)).length,
    documents: requests.filter(({ part }) => part === 'documents').length,
    authorisedDocuments: authorised.filter(({ part }) => part === 'documents').length,
  }
}

function isRefresh(body: unknown): boolean {
  return JSON.stringify(body)?.includes('"refresh_token"') ?? false
}

await serve(Number(process.argv[2]))
