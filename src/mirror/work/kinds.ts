import type { WorkKey } from './work-table.js'

/** Kind of work of all backfills and sweeps. The key is the iteration's name. */
export const SWEEP = 'sweep'

/** Kind of the work that reads the directory of collection centres. */
export const CENTRES = 'centres'

/** Kind of the work that reads tests, bundles, biomarkers and vendors. */
export const CATALOGUE = 'catalogue'

/** Kind of the work that reads the doctors' records, each by its provider number. */
export const PROVIDERS = 'providers'

/** Kind of the work that deletes an object which no record uses any more. */
export const OBJECT = 'object'

/** Kind of the work that removes old rows. */
export const CLEAN_UP = 'clean-up'

/** Prefix of the kinds of work that download the PDF of a record. */
export const DOCUMENT = 'document:'

/** Prefix of the kinds of work that deliver changes to a consumer. */
export const DELIVER = 'deliver:'

/** Returns `true` for a kind of work that delivers changes to a consumer. */
export function isDelivery(kind: string): boolean {
  return kind.startsWith(DELIVER)
}

/** Key of work that exists once for each organisation. */
export const ONLY_KEY = 'all'

/** Work that finds new records: the sweep `recent`. */
export const RECENT_SWEEP: Omit<WorkKey, 'organisation'> = { kind: SWEEP, key: 'recent' }
