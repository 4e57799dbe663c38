import * as z from 'zod'

/** §5 */
export const tokenResponseSchema = z.object({
  /** A JWT. */
  access_token: z.string(),
  refresh_token: z.string().optional(),
  token_type: z.string(),
  /** Seconds. */
  expires_in: z.number(),
  /** Seconds. */
  refresh_expires_in: z.number().optional(),
})

/** §5 */
export const tokenErrorSchema = z.object({
  error: z.literal(true),
  code: z.string(),
  type: z.string(),
  message: z.string(),
})
