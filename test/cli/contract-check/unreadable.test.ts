import { PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { records } from '../../testing/support.js'
import { environmentOf, runCommand } from '../run-command.js'
import { differencesOf, READS, startContractFake } from './contract-world.js'
import { startTampering, type Tamper } from './tampering.js'

/** Bodies that the client cannot read, and how it reads the endpoint. */
const UNREADABLE: readonly (readonly [
  endpoint: string,
  tamper: Tamper,
  read: (client: PathologyClient) => Promise<unknown>,
])[] = [
  [
    'tests.list',
    { path: /^\/v1\/tests/, json: (body) => ({ data: body }) },
    (client) => client.tests.list().toArray(),
  ],
  [
    'biomarkers.list',
    { path: /^\/v1\/biomarkers/, json: (body) => ({ ...body, error: true, code: 'INTERNAL' }) },
    (client) => client.biomarkers.list().toArray(),
  ],
  [
    'vendors.list',
    {
      path: /^\/v1\/vendors/,
      json: (body) => ({ vendors: records(body['vendors']).map(({ id: _, ...vendor }) => vendor) }),
    },
    (client) => client.vendors.list().toArray(),
  ],
  [
    'providers.list',
    { path: /^\/v1\/providers(\?|$)/, json: ({ providers, ...body }) => ({ ...body, items: { providers } }) },
    (client) => client.providers.list().toArray(),
  ],
  [
    'webhooks.eventNames',
    { path: /^\/v1\/webhook-events/, json: ({ events }) => ({ events: { names: events } }) },
    (client) => client.webhooks.eventNames(),
  ],
]

it('contract check reports each response that the client cannot read as a difference from the contract', async () => {
  const fake = await startContractFake()
  const urls = await startTampering(
    fake,
    UNREADABLE.map(([, tamper]) => tamper),
  )
  const { code, differences } = await differencesOf({ ...environmentOf(fake), ...urls }, READS)
  expect(code).toBe(3)
  const [baseUrl = '', authUrl = ''] = Object.values(urls)
  await using client = new PathologyClient({ ...fake.clientOptions(), baseUrl, authUrl, maxRetries: 0 })
  for (const [endpoint, , read] of UNREADABLE) {
    await expect(read(client), endpoint).rejects.toMatchObject({ name: 'InvalidResponseError' })
    expect(differences).toContainEqual(
      expect.stringMatching(`^contract ${endpoint.replace('.', '\\.')} \\(\\w+\\) \\(whole response\\): `),
    )
  }
})

it('contract check reports a token under another name, without which nothing else can be checked', async () => {
  const fake = await startContractFake()
  const urls = await startTampering(fake, [
    { path: /^\/oauth/, json: ({ access_token: token, ...body }) => ({ ...body, accessToken: token }) },
  ])
  const { code, differences, report } = await differencesOf({ ...environmentOf(fake), ...urls }, READS)
  expect(code).toBe(3)
  expect(differences).toContain('contract oauth.token (Basic header) access_token: string, not missing')
  expect(report['notChecked']).toEqual([
    { endpoint: 'every other endpoint', reason: 'needs an access token' },
  ])
})

it('contract check groups its differences in a table of 80 columns, with endpoint and path whole', async () => {
  const fake = await startContractFake({ extraFields: true, unknownEnums: true })
  const env = { ...environmentOf(fake), NO_COLOR: '1' }
  const { stdout, stderr } = await runCommand(['contract', 'check'], { env, isTTY: true, columns: 80 })
  const [head = '', ...lines] = stdout.split('\n').slice(
    0,
    stdout.split('\n').findIndex((line) => /requests:/.test(line)),
  )
  expect(lines.length).toBeLessThan(30)
  expect(head).toMatch(/^level +endpoint +path/)
  for (const line of lines)
    expect(line).toMatch(/^(contract|addition) +\w+\.\w+( \+\d+)? +[\w[\].]+$|^ {2}expected .+; seen /)
  for (const line of lines.filter((each) => !each.startsWith(' ')))
    expect(line.length).toBeLessThanOrEqual(80)
  expect(lines.filter((line) => line.includes('addedWithoutNotice'))).toHaveLength(1)
  expect(stderr).not.toContain('Too wide')
})
