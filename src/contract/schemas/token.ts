import * as z from 'zod'

// §5
export const tokenResponseSchema = z.object({
  /** The access token for the Authorization header, a JWT. */
  access_token: z.string(),
  /** Token for the refresh grant. Each response contains a new refresh token. */
  refresh_token: z.string().optional(),
  /** Authentication scheme: `Bearer`. */
  token_type: z.string(),
  /** Seconds until the access token expires. */
  expires_in: z.int(),
  /** Seconds until the refresh token expires. */
  refresh_expires_in: z.int().optional(),
})

// §5
export const tokenErrorSchema = z.object({
  error: z.literal(true),
  code: z.string(),
  type: z.string(),
  message: z.string(),
})
