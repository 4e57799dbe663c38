import type { FakeContext } from '../state/context.js'

/** Adds a row to a list of events or of sent emails. Removes the oldest rows above `journalLimit`. */
export function addToJournal<Row>(context: FakeContext, journal: Row[], row: Row): void {
  const { journalLimit } = context.options
  journal.push(row)
  if (journal.length > journalLimit) journal.splice(0, journal.length - journalLimit)
}
