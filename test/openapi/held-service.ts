import { expect } from 'vitest'

import { acceptOf, queryText, type Service, startService } from '../conformance/support/service.js'
import { operationOf, problemsOf, requestProblems } from './document.js'

/** A service whose responses are all compared with the document. */
export interface HeldService extends Service {
  /** `operation status version` of every request so far; the version is '' without an Accept header. */
  readonly seen: ReadonlySet<string>
}

/** The fake in a separate process, over HTTP: every response, and every accepted request, must match the document. */
export async function startHeldService(...flags: readonly string[]): Promise<HeldService> {
  const service = await startService(...flags)
  const seen = new Set<string>()
  const call: Service['call'] = async (method, path, options = {}) => {
    const answer = await service.call(method, path, options)
    const [pathname = '', search = ''] = `${path}${queryText(options.query)}`.split('?')
    const { version } = options
    const accept = version === undefined ? undefined : acceptOf(version)
    const operation = operationOf(method, pathname)
    const { status, body } = answer
    expect(problemsOf({ method, path: pathname, accept, status, body })).toEqual([])
    if (operation !== undefined && status === 200) {
      expect(requestProblems(operation, search, options.body)).toEqual([])
    }
    seen.add(`${operation?.id} ${status} ${version ?? ''}`)
    return answer
  }
  const tokens: Service['tokens'] = async (form, headers) => {
    const answer = await service.tokens(form, headers)
    const { status, body } = answer
    const path = '/oauth/token'
    expect(problemsOf({ method: 'POST', path, accept: undefined, status, body })).toEqual([])
    seen.add(`tokens.issue ${status} `)
    return answer
  }
  return { ...service, call, tokens, seen }
}
