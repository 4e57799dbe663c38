/** Parsed JSON and functions that read it; a value of another kind is an error that shows the value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? String(value)

export const parseJson = (text: string): Json => {
  const parsed: Json = JSON.parse(text)
  return parsed
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const obj = (value: Json | undefined): JsonObject => {
  if (!isObject(value)) throw new Error(`expected an object, got ${shown(value)}`)
  return value
}

export const arr = (value: Json | undefined): Json[] => {
  if (!Array.isArray(value)) throw new Error(`expected a list, got ${shown(value)}`)
  return value
}

export const str = (value: Json | undefined): string => {
  if (typeof value !== 'string') throw new Error(`expected a string, got ${shown(value)}`)
  return value
}

export const at = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined => {
  let here: Json | undefined = value
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)]
    else if (isObject(here)) here = here[step]
    else return undefined
  }
  return here
}

export const objects = (value: Json | undefined): JsonObject[] => arr(value).map((entry) => obj(entry))
export const strings = (value: Json | undefined): string[] => arr(value).map((entry) => str(entry))

/** The only element, or the value itself: an order returns a referral or a list. */
export const one = (value: Json | undefined): JsonObject =>
  Array.isArray(value) ? obj(value[0]) : obj(value)

export const first = <T>(list: readonly T[]): T => {
  const [head] = list
  if (head === undefined) throw new Error('expected at least one entry')
  return head
}
