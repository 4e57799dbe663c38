import { format, inspect } from 'node:util'

/** Secrets and patients' details that the tests send. No error, log line or event may show them. */
export const CANARIES = {
  clientSecret: 'canary-client-secret-9f31',
  accessToken: 'canary-access-token',
  refreshToken: 'canary-refresh-token',
  firstName: 'Wilhelmina',
  lastName: 'Quarrington',
  email: 'patient.w.q@canary.example',
  phone: '0491570156',
  street: '17 Zephyrhills Crescent',
  dob: '1961-07-23',
  medicareCard: '29518731251',
  clinicalNotes: 'Query thyrotoxicosis',
  signature: 'canary-signed-query',
  signingSecret: 'canary-signing-secret-77',
} as const

/** Returns all forms in which programs print a value. */
export function everythingShownOf(value: unknown): string {
  const shown = [inspect(value, { depth: 12 }), String(value), JSON.stringify(value) ?? '']
  if (value instanceof Error) shown.push(...everythingOfError(value), everythingShownOf(value.cause ?? ''))
  return shown.join('\n')
}

/** Returns all forms in which trackers and loggers show more of an error than its own text. */
function everythingOfError(error: Error): string[] {
  const behind = { depth: 10, showHidden: true, customInspect: false } as const
  const own = Object.getOwnPropertyNames(error)
  return [
    error.message,
    error.stack ?? '',
    inspect(error, behind),
    inspect(structuredClone(error), behind),
    inspect(new AggregateError([error], 'several', { cause: error }), behind),
    inspect({ ...error }, behind),
    JSON.stringify(error, own) ?? '',
    JSON.stringify(own.map((name): unknown => Reflect.get(error, name))) ?? '',
    format('%s %j %o %O', error, error, error, error),
  ]
}

/** Returns the canaries in a text: in any case, URL-encoded, in base64, or with spaces. */
export function canariesIn(text: string): string[] {
  const shown = text.toLowerCase()
  const unspaced = shown.replaceAll(/(?<=\d)[ -](?=\d)/g, '')
  return Object.entries(CANARIES)
    .filter(
      ([, canary]) =>
        [canary, encodeURIComponent(canary)].some((form) => shown.includes(form.toLowerCase())) ||
        unspaced.includes(canary.replaceAll('-', '').toLowerCase()) ||
        base64Forms(canary).some((form) => text.includes(form)),
    )
    .map(([name]) => name)
}

/** Returns the base64 forms of a value within a longer text: one form for each of the three possible offsets. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].map((offset) =>
    Buffer.from(' '.repeat(offset) + value)
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1)
      .replace(/.{0,2}=*$/, ''),
  )
}
