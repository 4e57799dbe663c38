import { TokenMethods } from '../control/token-methods.js'
import type { FakeCore } from '../core/fake-core.js'
import { makePerson } from '../seed/people.js'
import { createFetch } from '../transports/fetch.js'

const TESTS = 3

/**
 * Places an order for an invented patient over the API, as a client does: the journal contains the request, and events
 * are sent.
 *
 * @returns The first referral's UUID.
 */
export async function placeSampleOrder(core: FakeCore): Promise<{ uuid: string }> {
  const { random, clock } = core.context
  const { access_token } = await new TokenMethods(core).issue()
  const person = makePerson(random, clock.now())
  const blood = core.state.catalogue.tests.filter(({ sample }) => sample === 'blood')
  const tests = Array.from({ length: Math.min(TESTS, blood.length) }, () => random.pick(blood).id)
  const response = await createFetch(core)(`${core.origins.api}/v1/referrals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access_token}`,
      accept: 'application/vnd.svc.v1.1.0+json',
      'content-type': 'application/json',
      'user-agent': 'pathology-fake console',
    },
    body: JSON.stringify({ ...person, referenceNumber: `CONSOLE-${random.integer(1_000, 9_999)}`, tests }),
  })
  const body: unknown = await response.json()
  const [first] = Array.isArray(body) ? body : [body]
  if (!response.ok) throw new Error(`the order was rejected: ${first?.code} ${first?.message}`)
  return { uuid: String(first?.uuid) }
}
