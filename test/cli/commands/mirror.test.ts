import { expect, it } from 'vitest'

import { runCommand } from '../run-command.js'

const UUID = '00000000-0000-4000-8000-000000000001'

it('mirror migrate and mirror grants print SQL without a database and without credentials', async () => {
  const env = { PATHOLOGY_MIRROR_SCHEMA: 'staging' }
  const migrations = await runCommand(['mirror', 'migrate', '--print', '--row-security'], { env })
  expect(migrations).toMatchObject({ code: 0, stderr: '' })
  expect(migrations.stdout).toMatch(
    /^BEGIN;\n[\s\S]*CREATE TABLE staging\.referral[\s\S]*ENABLE ROW LEVEL SECURITY/,
  )
  const grants = await runCommand(['mirror', 'grants'], { env })
  expect(grants.stdout).toContain('CREATE ROLE staging_reader NOLOGIN;')
  expect(`${migrations.stdout}${grants.stdout}`).not.toContain('{schema}')
})

it('the mirror rejects variables of an organisation "mirror" that does not exist', async () => {
  const env = { PATHOLOGY_MIRROR_CLIENT_ID: 'id' }
  const one = await runCommand(['mirror', 'grants'], { env })
  expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a variable of the mirror') })
  const two = await runCommand(['mirror', 'grants'], {
    env: { ...env, PATHOLOGY_ORGANISATIONS: 'north, mirror' },
  })
  expect(two.code).toBe(0)
  const three = await runCommand(['mirror', 'grants'], {
    env: { PATHOLOGY_MIRROR_NORTH_CLIENT_ID: 'id', PATHOLOGY_ORGANISATIONS: 'mirror_north' },
  })
  expect(three).toMatchObject({ code: 0, stderr: '' })
})

it.each([
  [['sweep', 'all'], /the sweep must be one of recent, open, everything/],
  [['erase', UUID], /nothing was erased. Add --yes/],
  [['dead', '--skip', '12', '--uuid', UUID], /pass it without --retry and --uuid/],
  [['dead', '--skip', '12', '--retry'], /pass it without --retry and --uuid/],
  [['dead', '--skip', 'first'], /--skip must be the position of a change/],
])('the mirror rejects %j before it opens the database', async (words, message) => {
  const { code, stderr } = await runCommand(['mirror', ...words])
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})

it.each([
  [
    ['status'],
    { PATHOLOGY_ORGANISATIONS: 'north,North' },
    'PATHOLOGY_ORGANISATIONS must be different names, separated by commas, such as north,south. A name begins with a lower-case letter, and has up to 48 lower-case letters, digits and underscores',
  ],
  [
    ['status'],
    {
      PATHOLOGY_ORGANISATIONS: 'north',
      PATHOLOGY_NORTH_CLIENT_ID: 'id',
      PATHOLOGY_AUTH_URL: 'http://127.0.0.1:9',
    },
    'not set: PATHOLOGY_NORTH_BASE_URL, PATHOLOGY_NORTH_CLIENT_SECRET. Set them in the environment or in a .env file, then run npx pathology doctor. Without credentials, start npx pathology fake: it prints all of them',
  ],
  [
    ['serve'],
    { PATHOLOGY_ORGANISATIONS: 'north,south', PATHOLOGY_SOUTH_WEBHOOK_SECRET: 'secret' },
    'not set: PATHOLOGY_NORTH_WEBHOOK_SECRET. Webhooks cannot be verified without the secret',
  ],
  [['serve'], {}, 'not set: PATHOLOGY_WEBHOOK_SECRET. Webhooks cannot be verified without the secret'],
])('mirror %j with the variables %j names the missing variable or argument', async (words, env, message) => {
  expect(await runCommand(['mirror', ...words], { env })).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: `pathology: ${message}\n`,
  })
})

const NO_DATABASE = 'must be a postgres:// URL or a directory'

it.each([
  ['DOCUMENTS', 'disk', 'must be database or none'],
  ['CONCURRENCY', '65', 'must be an integer from 0 to 64'],
  ['LEASE', '60', 'is not a variable of the mirror; did you mean PATHOLOGY_MIRROR_LEASE_MS?'],
  ['SCHEMA', 'Clinic-2', /^must be a plain name/],
  ['DATABASE', 'mysql://user:word@db/clinic', NO_DATABASE],
  ['DATABASE', 'postgres:user:word@db/clinic', NO_DATABASE],
  ['DATABASE', 'PostgreSQL:/user:word@db/clinic', NO_DATABASE],
  ['DATABASE', '"postgres://user:word@db/clinic"', NO_DATABASE],
  ['DATABASE', ' postgres://user:word@db/clinic', NO_DATABASE],
  ['DATABASE', 'DATABASE_URL=postgres://user:word@db/clinic', NO_DATABASE],
  ['DATABASE', 'postgres//user:word@db/clinic', NO_DATABASE],
])('the mirror rejects the variable PATHOLOGY_MIRROR_%s with the value %j', async (name, value, message) => {
  const variable = `PATHOLOGY_MIRROR_${name}`
  const printing = /SCHEMA|DATABASE/.test(name) ? [['grants'], ['migrate', '--print']] : []
  for (const words of [['status'], ...printing]) {
    const { code, stdout, stderr } = await runCommand(['mirror', ...words], { env: { [variable]: value } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const [, said] = stderr.trimEnd().split(`pathology: ${variable} `)
    expect(said).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  }
})
