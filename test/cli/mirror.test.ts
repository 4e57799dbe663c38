import { describe, expect, it } from 'vitest'

import { runCommand } from './run-command.js'

const UUID = '00000000-0000-4000-8000-000000000001'

describe('mirror', () => {
  it('prints migrations and roles without a database and without credentials', async () => {
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

  it.each([
    [['sweep', 'all'], /the sweep must be recent, open, everything/],
    [['erase', UUID], /nothing was erased. Add --yes/],
    [['dead', '--skip', 'first'], /--skip must be the position of a change/],
  ])('refuses %j before it opens anything', async (words, message) => {
    const { code, stderr } = await runCommand(['mirror', ...words])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('names a variable with an invalid value', async () => {
    const { code, stderr } = await runCommand(['mirror', 'status'], {
      env: { PATHOLOGY_MIRROR_DOCUMENTS: 'disk' },
    })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'pathology: PATHOLOGY_MIRROR_DOCUMENTS must be database or none\n',
    })
  })
})
