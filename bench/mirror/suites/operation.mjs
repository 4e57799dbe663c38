import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../lib/measure.mjs'
import { launch } from '../world.mjs'
import { CONTENDERS, launchAll } from './contenders.mjs'

export const LEASE_MS = 3_000
/** Time after which the work of the start is finished. */
const SETTLE_MS = 3_000
const IDLE_MS = 10_000
const STARTS = 9

/**
 * Measures the time from the crash of a process in its handler until another process handles the same change.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function takeOver({ world, rounds, step }, service) {
  step('take-over after kill -9')
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const database = await world.database()
    const order = {
      contender: /** @type {const} */ ('mirror'),
      database,
      service,
      mirror: { lease: LEASE_MS },
    }
    const first = await launch({ ...order, hangs: true })
    await first.ask('start')
    const held = handledBy(first)
    await first.ask('receive', { from: 1, count: 1 })
    await held
    const second = await launch({ ...order, reports: true })
    await second.ask('start')
    // The time of the crash is random between two renewals of the lease.
    await sleep((LEASE_MS / 3) * Math.random())
    const taken = handledBy(second)
    const killedAt = Date.now()
    await first.kill()
    times.push((await taken) - killedAt)
    await second.kill()
  }
  return { median: median(times), worst: Math.max(...times) }
}

/**
 * Resolves with the time of the next call of the handler.
 * @param {import('../world.mjs').Machine} machine
 * @returns {Promise<number>}
 */
function handledBy(machine) {
  return new Promise((resolve) => {
    machine.onHandled = ({ at }) => resolve(at)
  })
}

/**
 * Measures the statements per second of an idle process.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function idle(bench, service) {
  bench.step('statements of an idle process')
  const machines = await launchAll(bench, service)
  for (const name of CONTENDERS) await machines.of(name).machine.ask('start')
  await sleep(SETTLE_MS)
  const before = []
  for (const name of CONTENDERS) before.push(await machines.of(name).machine.ask('usage'))
  await sleep(IDLE_MS)
  const rows = []
  for (const [index, name] of CONTENDERS.entries()) {
    const { statements } = await machines.of(name).machine.ask('usage')
    rows.push({ name, perSecond: ((statements - before[index].statements) * 1_000) / IDLE_MS })
  }
  await machines.end()
  return rows
}

/**
 * Measures the milliseconds of `start` on an existing schema.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function start({ world, step }, service) {
  step('start on the existing schema')
  const machine = await launch({ contender: 'mirror', database: await world.database(), service })
  await machine.ask('start')
  await machine.ask('stop')
  const times = []
  for (let n = 0; n < STARTS; n += 1) times.push(await machine.ask('startAgain'))
  await machine.kill()
  return median(times)
}
