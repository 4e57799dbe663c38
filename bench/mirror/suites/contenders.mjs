import { median } from '../../lib/measure.mjs'
import { launch } from '../world.mjs'

/** @typedef {'mirror' | 'pg-boss' | 'graphile-worker'} Name */
/** @typedef {{ readonly world: import('../world.mjs').World, readonly rounds: number, readonly scaled: (count: number) => number, readonly step: (text: string) => void }} Bench */
/** @typedef {Readonly<Record<string, number>>} Numbers */

/** @type {readonly Name[]} */
export const CONTENDERS = ['mirror', 'pg-boss', 'graphile-worker']

/**
 * Runs the contenders in turn, round by round, and returns the medians.
 * @param {number} rounds one more round warms up and is not counted
 * @param {(contender: Name) => Promise<Numbers>} measure
 * @returns {Promise<({ readonly name: Name } & Record<string, any>)[]>}
 */
export async function inTurn(rounds, measure) {
  /** @type {Map<Name, Numbers[]>} */
  const found = new Map(CONTENDERS.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < CONTENDERS.length; turn += 1) {
      const name = CONTENDERS[(turn + round) % CONTENDERS.length] ?? 'mirror'
      const numbers = await measure(name)
      if (round > 0) found.get(name)?.push(numbers)
    }
  }
  return CONTENDERS.map((name) => ({ name, ...medians(found.get(name) ?? []) }))
}

/**
 * @param {readonly Numbers[]} rows
 * @returns {Numbers}
 */
export function medians(rows) {
  const names = Object.keys(rows[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, median(rows.map((row) => row[name] ?? Number.NaN))]))
}

/**
 * Starts one process of each contender, each with its own database.
 * @param {Bench} bench
 * @param {string} service
 */
export async function launchAll({ world }, service) {
  /** @type {Map<Name, { readonly machine: import('../world.mjs').Machine, readonly database: string }>} */
  const found = new Map()
  for (const contender of CONTENDERS) {
    const database = await world.database()
    found.set(contender, { database, machine: await launch({ contender, database, service }) })
  }
  return {
    /** @param {Name} name */
    of(name) {
      const running = found.get(name)
      if (running === undefined) throw new Error(`no process of ${name}`)
      return running
    },
    async end() {
      for (const { machine } of found.values()) await machine.kill()
    },
  }
}
