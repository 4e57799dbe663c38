// Mutation testing: `npm run mutation` for all groups, `npm run mutation orders lists` for some. A group is a
// list of files to change and of tests that must fail, both as globs, in mutation-groups.json. The run fails
// if tests notice less than 90 % of the changes.
import { spawnSync } from 'node:child_process'
import groups from './mutation-groups.json' with { type: 'json' }

const known = Object.keys(groups)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. The groups are: ${known.join(', ')}`)
  process.exit(2)
}

const failed = (wanted.length > 0 ? wanted : known).filter((name) => {
  console.log(`\n== ${name}`)
  const env = { ...process.env, MUTATION_GROUP: name }
  return spawnSync('npx', ['stryker', 'run'], { stdio: 'inherit', env }).status !== 0
})
if (failed.length > 0) console.error(`\nBelow the limit, or not finished: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
