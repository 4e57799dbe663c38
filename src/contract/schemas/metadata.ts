import * as z from 'zod'

// §2.4. A separate file, so that request checks do not load the response schemas.
export const metadataSchema = z.record(z.string(), z.unknown())
