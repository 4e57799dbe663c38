/** Name and code of an error. Its message can contain personal data. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const code: unknown = Reflect.get(error, 'code')
  const name = /^[A-Z][A-Za-z]{0,60}$/i.test(error.name) ? error.name : 'Error'
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? `${name} ${code}` : name
}
