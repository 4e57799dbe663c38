import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const require = createRequire(import.meta.url)
const { PathologyClient } =
  process.argv[2] === 'esm' ? await import('pathology-sdk') : require('pathology-sdk')

const order = {
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.com',
  phone: '0362001234',
  address: {
    addressLine1: '1 Example Street',
    city: 'Hobart',
    state: 'TAS',
    postCode: '0700',
    country: 'AU',
  },
  dob: '1980-01-01',
  gender: 'female',
  referenceNumber: 'without-files',
  tests: ['ferritin'],
}

// A separate process: modules that the fake has loaded must not replace those that the client lacks.
const fake = spawn(process.execPath, ['node_modules/pathology-sdk/dist/pathology-fake.cjs', '--port', '0'])
let taken = false
try {
  const [line] = await once(createInterface(fake.stdout), 'line')
  const { baseUrl, authUrl, clientId, clientSecret, controlUrl } = JSON.parse(line)
  const control = async (path, body) => {
    const { ok } = await fetch(`${controlUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.ok(ok, path)
  }
  const client = new PathologyClient({ baseUrl, authUrl, clientId, clientSecret, tokenStore: new Map() })
  await client.warmUp()
  renameSync('node_modules', 'node_modules-taken')
  taken = true

  await control('/faults', { route: 'GET /v1/vendors', status: 503 })
  assert.ok((await client.vendors.list().toArray()).length > 0)
  await control('/faults', { route: 'POST /v1/referrals', loseResponse: true })
  const placed = await client.referrals.create(order)
  assert.equal(placed.recovered, true)
  const [{ uuid }] = placed.referrals
  await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  assert.ok((await client.referrals.document(uuid).bytes()).length > 0)
  await control('/tokens/revoke-all', {})
  await control('/faults', { route: 'POST /oauth/token', status: 500 })
  assert.ok((await client.vendors.list().toArray()).length > 0)
  await control('/faults/assert-none-unused', {})
  await client.close()
} finally {
  if (taken) renameSync('node_modules-taken', 'node_modules')
  fake.kill()
}
