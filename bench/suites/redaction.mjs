import { compare } from '../lib/measure.mjs'

const VALUES = 10_000
const TEXT = 'metadata has a name that is not valid; remove re, mo and ve; value 93 is not a test'.repeat(12)

/** Returns an order whose metadata has values of every kind: short values, names, sentences, and words of the text. */
function order() {
  const kinds = ['re', 'remo', 'Mary Ann', 'a note of more than four words', 'valid', 'someone']
  const metadata = Object.fromEntries(
    Array.from({ length: VALUES }, (_, n) => [
      `name${n}`,
      `${kinds[n % kinds.length]}${n % 3 === 0 ? n : ''}`,
    ]),
  )
  return JSON.stringify({ firstName: 'Alex', lastName: 'Example', tests: ['full-blood-count'], metadata })
}

/** Measures the removal of request values from the service's text, once for each error. Goal: at most 10 ms. */
export async function redaction() {
  const { redact, RequestValues, safeCode, safeId } = await import('../../src/client/errors/redact.ts')
  const body = order()
  const parse = () => JSON.parse(body)
  const contenders = [
    { name: 'JSON.parse of the request', run: parse },
    { name: 'first row repeated (measurement error)', run: parse },
    {
      name: 'pathology-sdk: text, code and request id of an error',
      run: () => {
        const values = new RequestValues({ body })
        return [redact(TEXT, values), safeCode('SOMETHING_NEW', values), safeId('req-1', values)]
      },
    },
  ]
  return {
    'redaction of an error for a request with 10,000 values': await compare(contenders, {
      rounds: 16,
      operations: 20,
    }),
  }
}
