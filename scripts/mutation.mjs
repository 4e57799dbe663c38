// Mutation testing: `npm run mutation` for all groups, `npm run mutation orders lists` for some. A group is a list of
// files to change and a list of tests, both as globs, in mutation-groups.json. The tests detect a change if one of
// them fails. The run fails if the tests of a group detect less than 90 % of its changes.
import { spawnSync } from 'node:child_process'
import groups from './mutation-groups.json' with { type: 'json' }

const known = Object.keys(groups)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown groups: ${unknown.join(', ')}. Known groups: ${known.join(', ')}`)
  process.exit(2)
}

const failed = (wanted.length > 0 ? wanted : known).filter((name) => {
  console.log(`\n== ${name}`)
  const env = { ...process.env, MUTATION_GROUP: name }
  return spawnSync('npx', ['stryker', 'run'], { stdio: 'inherit', env }).status !== 0
})
if (failed.length > 0)
  console.error(`\nGroups that failed, or whose tests detected too few changes: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
