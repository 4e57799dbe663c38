import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { refusalsOf } from '../../src/cli/contract-check/refusals.js'
import { checkContract } from '../../src/cli/contract-check/run.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import type { Refusal } from '../../src/testing/rules/rule.js'
import { authorised, NOW, orderOverApi, record } from '../testing/support.js'
import { startService } from './support/service.js'

/** Statuses of §7 other than 400, and those that the fake assumes for codes without one. */
const STATUSES: Readonly<Record<string, number>> = {
  MISSING_AUTHORIZATION_HEADER: 401,
  INVALID_JWT: 401,
  INVALID_JWT_SIGNATURE: 401,
  REFERRAL_NOT_FOUND: 404,
  RESULT_NOT_FOUND: 404,
  COLLECTION_CENTRE_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  PROVIDER_NOT_FOUND: 404,
}

/** Codes whose response has an empty list of problems: the code says everything. */
const WITHOUT_PROBLEMS = [...Object.keys(STATUSES), 'MISSING_SIGNATURE']

const fake = new FakePathologyService({ startTime: NOW, centreCount: 200 })
afterAll(() => fake.close())
const headers = await authorised(fake)
const ids: Readonly<Record<string, string>> = {
  uuid: await orderOverApi(fake),
  id: fake.webhooks.createInPortal({ url: 'https://hooks.integrator.example/' }).id,
  providerNumber: '6183272X',
}
const refusals = refusalsOf({
  tests: ['lipid-panel', 'urate'],
  otherTests: ['calprotectin'],
  bundles: ['iron-check'],
  practitioner: { name: 'Dr Amelia Hartono', address: 'Suite 4', providerNumber: '5731046F' },
  unsigned: '2415327K',
  vendors: ['lowanna-pathology'],
  centres: fake.centres.all().map(({ uuid }) => uuid),
  webhookUrl: 'https://contract-check.example.com/1',
})

async function send(refusal: Refusal): Promise<{ status: number; body: Record<string, unknown> }> {
  const { endpoint, id, query = '', body, raw, version = '1.1.0', token } = refusal
  const path = endpoint.path.replace(/\{(\w+)\}/, (_, name: string) =>
    encodeURIComponent(id ?? ids[name] ?? ''),
  )
  const parameters = typeof query === 'string' ? query : Object.entries(query).map((pair) => pair.join('='))
  const url = `${fake.baseUrl}${path}?${new URLSearchParams([parameters].flat().join('&'))}`
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const { authorization = '' } = headers
  const response = await fake.fetch(url, {
    method: endpoint.method,
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: token === undefined ? authorization : `Bearer ${token}` }),
      ...(version !== null && { accept: `application/vnd.svc.v${version}+json` }),
    },
    ...(content !== undefined && { body: content }),
  })
  return { status: response.status, body: record(await response.json()) }
}

/** Everything that a request could change, without the journal of requests. */
function dataOf(): unknown {
  const { orders, providers, webhooks, catalogue, centres } = fake.snapshot().state
  return structuredClone({ orders, providers, webhooks, catalogue, centres })
}

/** What differs from the rule: the code, its status, a problem that is missing, or one that the rule does not name. */
async function differenceFrom(refusal: Refusal): Promise<unknown> {
  const { code, names = [] } = refusal
  const { status, body } = await send(refusal)
  const list = Array.isArray(body['errorList']) ? body['errorList'].map(String) : []
  const given = String(body['code'])
  const isNamed = (problem: string): boolean =>
    names.length === 0 ||
    problem.startsWith('at least one of') ||
    names.some((name) => problem.includes(name))
  const isRefused =
    body['error'] === true &&
    [code].flat().includes(given) &&
    status === (STATUSES[given] ?? 400) &&
    list.length > 0 !== WITHOUT_PROBLEMS.includes(given) &&
    names.every((name) => list.some((problem) => problem.includes(name))) &&
    list.every(isNamed)
  return isRefused ? undefined : { situation: refusal.situation, status, body }
}

const nothing = (): void => undefined

describe('the table of rules', () => {
  it('contract check sends every request of the rules to the fake over HTTP and finds no difference', async () => {
    const service = await startService()
    onTestFinished(() => service.stop())
    const { differences, checked } = await checkContract({
      ...service,
      environment: 'staging',
      write: true,
      writeWebhooks: true,
      refuseProviders: true,
      maxPages: 10,
      pdfTimeoutMs: 5_000,
      signal: AbortSignal.timeout(60_000),
      now: Date.now,
      onStep: nothing,
      onWarning: nothing,
    })
    expect(differences).toEqual([])
    for (const { id } of ENDPOINTS) {
      const rows = refusals.filter(({ endpoint }) => endpoint.id === id)
      expect(checked[id]?.requests, id).toBeGreaterThanOrEqual(rows.length)
    }
  })

  it.each(ENDPOINTS.map(({ id }) => id))(
    '%s refuses what the rules say with the code, its status and exactly the problems, and changes nothing (§7)',
    async (id) => {
      const rows = refusals.filter(({ endpoint }) => endpoint.id === id)
      const before = dataOf()
      const differences = []
      for (const row of rows) differences.push(await differenceFrom(row))
      expect(rows.length).toBeGreaterThan(0)
      expect(differences.filter((difference) => difference !== undefined)).toEqual([])
      expect(dataOf()).toEqual(before)
    },
  )
})
