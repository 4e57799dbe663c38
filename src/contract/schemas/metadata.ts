import * as z from 'zod'

/** Integrator key-value data (§2.4). By itself, so that what checks requests loads nothing of the answers' schemas. */
export const metadataSchema = z.record(z.string(), z.unknown())
