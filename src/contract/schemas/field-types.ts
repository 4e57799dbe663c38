import * as z from 'zod'
import { isCalendarDate, isTimestamp } from '../times.js'

/** A string with at least one character that is not white space. */
export const textSchema = z.string().refine((value) => value.trim() !== '', {
  message: 'must not be empty',
  params: { rule: 'empty' },
})

export function textOfAtLeast(minimum: number): z.ZodString {
  return z.string().min(minimum)
}

export const dobSchema = z
  .string()
  .refine(isCalendarDate, { message: 'must be a calendar date as YYYY-MM-DD', params: { rule: 'date' } })

/** An ISO 8601 date or date-time. */
export const instantSchema = z
  .string()
  .refine(isTimestamp, { message: 'must be an ISO 8601 date or time', params: { rule: 'time' } })

/** An email address: text, an at sign, text. The service checks the rest. */
export const emailSchema = z.string().refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), {
  message: 'must be an email address',
  params: { rule: 'email' },
})

// §2.4. This schema is in this file, so that request checks do not load the response schemas.
export const metadataSchema = z.record(z.string(), z.unknown())
