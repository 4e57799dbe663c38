import * as z from 'zod'

/** §5 */
export const tokenResponseSchema = z.object({
  /** The access token, a JWT, for the Authorization header. */
  access_token: z.string(),
  /** Gets further access tokens by the refresh grant; each answer brings a new one. */
  refresh_token: z.string().optional(),
  /** How to send the access token: `Bearer`. */
  token_type: z.string(),
  /** Seconds until the access token expires. */
  expires_in: z.number(),
  /** Seconds until the refresh token expires. */
  refresh_expires_in: z.number().optional(),
})

/** §5 */
export const tokenErrorSchema = z.object({
  error: z.literal(true),
  code: z.string(),
  type: z.string(),
  message: z.string(),
})
