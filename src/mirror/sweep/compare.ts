import { prepareRecord, textField } from '../copy/digest.js'

/** Maximum number of compared records. A record that changes between both reads proves nothing. */
const MAX_COMPARED = 3

/** Statuses of records with the most fields first. */
const RICHEST = ['COMPLETE', 'PARTIAL_RESULTS', 'ISSUED']

/**
 * Compares records of a list with reads by UUID. The service does not guarantee that a list's records have all fields. If no record could
 * be compared, the list counts as incomplete.
 */
export async function isListComplete(
  items: readonly object[],
  readByUuid: (uuid: string) => Promise<object | undefined>,
): Promise<{ readonly isComplete: boolean; readonly requests: number }> {
  const candidates = items
    .map((item) => prepareRecord(item))
    .sort((a, b) => rank(a.body) - rank(b.body))
    .slice(0, MAX_COMPARED)
  let requests = 0
  for (const listed of candidates) {
    const uuid = textField(listed.body, 'uuid')
    if (uuid === null) continue
    requests += 1
    const record = await readByUuid(uuid)
    if (record === undefined) continue
    const single = prepareRecord(record)
    if (single.digest === listed.digest) return { isComplete: true, requests }
    if (single.body['updatedAt'] === listed.body['updatedAt']) return { isComplete: false, requests }
  }
  return { isComplete: false, requests }
}

function rank(body: Readonly<Record<string, unknown>>): number {
  const place = RICHEST.indexOf(textField(body, 'status') ?? '')
  const isDeleted = body['deletedAt'] !== null && body['deletedAt'] !== undefined
  return (place === -1 ? RICHEST.length : place) + (isDeleted ? RICHEST.length + 1 : 0)
}
