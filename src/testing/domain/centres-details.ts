import { NOTES, SERVICES } from '../seed/centre-words.js'
import type { CentreParts } from '../seed/centres.js'
import type { Random } from '../server/random.js'
import type { CentreRecord } from '../state/centres.js'

type Details = Partial<Pick<CentreRecord, 'openingHours' | 'notes' | 'services' | 'phone'>>

/**
 * Returns new details of a centre. A change of the opening hours alone is also an update (§6), so only the opening
 * hours change if `place` is even.
 *
 * @param place - Index of the centre among the updated centres of the refresh.
 */
export function changeDetails(
  random: Random,
  parts: CentreParts,
  record: CentreRecord,
  place: number,
): Details {
  if (place % 2 === 0) return { openingHours: otherThan(random, parts.openingHours, record.openingHours) }
  switch (random.integer(0, 2)) {
    case 0:
      return { notes: otherThan(random, NOTES, record.notes) }
    case 1:
      return { services: otherServices(random, record.services) }
    default:
      return { phone: otherPhone(random, record.phone) }
  }
}

/** Picks an entry other than `current`. Compares by content, because a restored snapshot contains copies. */
function otherThan<T>(random: Random, choices: readonly T[], current: T | null): T {
  const text = JSON.stringify(current)
  return random.pick(choices.filter((choice) => JSON.stringify(choice) !== text))
}

function otherServices(random: Random, current: readonly string[]): string[] {
  const service = random.pick(SERVICES.slice(1))
  return current.includes(service) ? current.filter((held) => held !== service) : [...current, service]
}

function otherPhone(random: Random, current: string | null): string {
  const ending = Number(current?.slice(-4) ?? 0)
  const changed = 1_000 + ((ending - 1_000 + random.integer(1, 8_999) + 9_000) % 9_000)
  return `${current?.slice(0, -4) ?? '(02) 5550 '}${changed}`
}
