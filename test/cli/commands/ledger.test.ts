import { expect, it } from 'vitest'
import { runCommand } from '../run-command.js'

const env = { PATHOLOGY_LEDGER_URL: 'redis://127.0.0.1:9' }

it.each([
  ['list --state sent', /--state must be one of unknown, placed, busy, not-placed/],
  ['list --state plced', /did you mean placed/],
  ['list --limit 0', /--limit must be an integer/],
  ['list --before soon', /--before must be a duration/],
  ['resolve visit-1001', /pass either --placed with the UUIDs of the referrals, or --not-placed/],
  ['resolve visit-1001 --not-placed --placed a', /pass either --placed/],
  ['prune', /--before/],
])('ledger %s is refused before a database is opened', async (words, message) => {
  const { code, stderr } = await runCommand(['ledger', ...words.split(' ')], { env })
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})

it.each([{}, { PATHOLOGY_LEDGER_URL: 'mysql://user:secret@host/db' }])(
  'ledger without the URL of Postgres or Redis names the variable and shows no URL',
  async (wrong) => {
    const { code, stderr } = await runCommand(['ledger', 'list'], { env: { ...wrong } })
    expect(code).toBe(2)
    expect(stderr).toContain('PATHOLOGY_LEDGER_URL must be')
    expect(stderr).not.toContain('secret')
  },
)
