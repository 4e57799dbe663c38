/** Parsers that an application may have set, by name. */
export const FOREIGN_PARSERS: ReadonlyMap<string, (text: string) => unknown> = new Map<
  string,
  (text: string) => unknown
>([
  ['objects', (text) => ({ toString: () => text, epochMilliseconds: Number.NaN })],
  [
    'errors',
    () => {
      throw new Error('this application reads no such value')
    },
  ],
])
