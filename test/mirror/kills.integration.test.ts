import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POINTS, type Point } from '../../src/mirror/core/context.js'
import { withPostgres } from '../support/postgres.js'
import { bundleMachine } from './soak/fleet.js'
import { soak } from './soak/run.js'

const server = await withPostgres()
let machine: Awaited<ReturnType<typeof bundleMachine>>

beforeAll(async () => {
  machine = await bundleMachine()
})

afterAll(async () => {
  await machine.remove()
  await server?.stop()
})

const ZERO = { lost: 0, twice: 0, outOfOrder: 0, older: 0 }

/** Kills a process at each of the points in turn. */
async function killAt(points: readonly Point[], postgres: string | undefined): Promise<void> {
  const cell = { machine: machine.path, postgres, points, machines: 1, kills: 1, probability: 1 }
  const { verdict, kills } = await soak({ ...cell, limitMs: 220_000 })
  expect([...kills.keys()].sort()).toEqual([...points].sort())
  expect(verdict).toEqual(ZERO)
}

describe.concurrent('a process that is killed at each step in turn loses nothing, repeats nothing and keeps the order', () => {
  it.skipIf(server === undefined)(
    'a process that is killed at each step in turn loses nothing on Postgres',
    () => killAt(POINTS, server?.url),
    600_000,
  )

  // A process on PGlite takes long to start, so one run covers every second step. `npm run soak:mirror` covers all of them.
  const first = randomInt(2)
  const points = POINTS.filter((_, nth) => nth % 2 === first)
  it(
    `a process that is killed loses nothing on PGlite: ${points.join(', ')}`,
    () => killAt(points, undefined),
    600_000,
  )
})
