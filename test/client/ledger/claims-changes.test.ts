import { expect, it } from 'vitest'
import { CallEnded, Deadline } from '../../../src/client/core/deadline.js'
import { EntryChanges } from '../../../src/client/ledger/claims.js'
import { isSettled, ledgerSession } from './ledger-world.js'

/** A wait for an entry; `random` is always in the middle. */
function waiting({ isPrivate = false, isWatched = false } = {}) {
  const world = ledgerSession({ isPrivate })
  const { session, clock, ledger, name } = world
  const listeners = new Set<() => void>()
  if (isWatched)
    Object.assign(ledger, {
      watch: (_: unknown, listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
  const changes = new EntryChanges(session, name)
  const deadline = new Deadline(clock, 60_000, undefined)
  const report = (): void => {
    for (const listener of listeners) listener()
  }
  return { ...world, changes, listeners, report, wait: () => changes.wait(deadline) }
}

it('the pauses between the polls of a waiting call grow up to one second at most', async () => {
  const { clock, wait } = waiting()
  for (const pause of [150, 200, 275, 387.5, 550, 550]) {
    const pending = wait()
    clock.advance(pause - 0.5)
    expect(await isSettled(pending), `after less than ${pause} ms`).toBe(false)
    clock.advance(0.5)
    expect(await isSettled(pending), `after ${pause} ms`).toBe(true)
  }
})

it.each([
  [0, 100],
  [1, 200],
])('the first pause of a waiting call is between 100 and 200 ms (random %s: %s ms)', async (value, pause) => {
  const { session, name, clock } = ledgerSession({ random: () => value })
  const changes = new EntryChanges(session, name)
  const pending = changes.wait(new Deadline(clock, 60_000, undefined))
  clock.advance(pause - 1)
  expect(await isSettled(pending)).toBe(false)
  clock.advance(1)
  expect(await isSettled(pending)).toBe(true)
})

it('a change that the ledger reports ends the pause, and its timer', async () => {
  const { clock, wait, report, listeners } = waiting({ isWatched: true })
  await wait()
  expect(listeners.size).toBe(1)
  const pending = wait()
  expect(await isSettled(pending)).toBe(false)
  const timers = clock.pending
  report()
  expect(clock.pending).toBe(timers - 1)
  expect(await isSettled(pending)).toBe(true)
  expect(await isSettled(wait())).toBe(false)
  expect(listeners.size).toBe(1)
})

it('the entry is read at once after the ledger got the listener: it may have changed before', async () => {
  const { wait } = waiting({ isWatched: true })
  expect(await isSettled(wait())).toBe(true)
})

it('a change during a poll is not missed: the next poll follows at once', async () => {
  const { wait, report } = waiting({ isWatched: true })
  await wait()
  report()
  expect(await isSettled(wait())).toBe(true)
  expect(await isSettled(wait())).toBe(false)
})

it("a call waits for a change of the client's own ledger, without a timer", async () => {
  const { clock, wait, report } = waiting({ isPrivate: true, isWatched: true })
  await wait()
  const timers = clock.pending
  const pending = wait()
  expect(clock.pending).toBe(timers)
  expect(await isSettled(pending)).toBe(false)
  report()
  expect(await isSettled(pending)).toBe(true)
})

it('a wait rejects when its call ends, and stop() removes its timer and its listener', async () => {
  const { clock, changes, listeners, session, name } = waiting({ isWatched: true })
  const watched = new EntryChanges(session, name)
  const deadline = new Deadline(clock, 50, undefined)
  await watched.wait(deadline)
  const pending = watched.wait(deadline)
  clock.advance(50)
  await expect(pending).rejects.toBeInstanceOf(CallEnded)
  watched.stop()
  changes.stop()
  expect(listeners.size).toBe(0)
  expect(clock.pending).toBe(1)
})
