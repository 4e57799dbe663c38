import type { Endpoint } from '../../contract/endpoint.js'
import { type Refusal, UNKNOWN_UUID } from './rule.js'

const MALFORMED = ['not-a-uuid', `${UNKNOWN_UUID}0`, `{${UNKNOWN_UUID}}`, 'a'.repeat(300)]

/** Requests for an unknown record, and with malformed identifiers. */
export function identifierRefusals(endpoint: Endpoint, code: string, body?: object): Refusal[] {
  const more = body === undefined ? {} : { body }
  return [
    { endpoint, situation: 'unknown UUID', id: UNKNOWN_UUID, code, ...more },
    ...MALFORMED.map((id, index): Refusal => {
      const situation = index === 0 ? 'malformed identifier' : `malformed identifier ${id.slice(0, 40)}`
      return { endpoint, situation, id, code: 'INVALID_PARAMETER', ...more }
    }),
  ]
}
