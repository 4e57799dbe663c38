import type { ControlTarget } from '../control/control-action.js'
import { makePerson } from '../seed/people.js'

const TESTS = 3

/**
 * Orders something for an invented patient, over the API like any client: the request is in the journal, and events
 * follow it.
 *
 * @returns The first referral's UUID.
 */
export async function placeSampleOrder({ fake, core }: ControlTarget): Promise<{ uuid: string }> {
  const { random, clock } = core.context
  const { access_token } = await fake.tokens.issue()
  const person = makePerson(random, clock.now())
  const blood = core.state.catalogue.tests.filter(({ sample }) => sample === 'blood')
  const tests = Array.from({ length: Math.min(TESTS, blood.length) }, () => random.pick(blood).id)
  const answer = await fake.fetch(`${fake.baseUrl}/v1/referrals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access_token}`,
      accept: 'application/vnd.svc.v1.1.0+json',
      'content-type': 'application/json',
      'user-agent': 'pathology-fake console',
    },
    body: JSON.stringify({ ...person, referenceNumber: `CONSOLE-${random.integer(1_000, 9_999)}`, tests }),
  })
  const body: unknown = await answer.json()
  const [first] = Array.isArray(body) ? body : [body]
  if (!answer.ok) throw new Error(`the order was refused: ${first?.code} ${first?.message}`)
  return { uuid: String(first?.uuid) }
}
