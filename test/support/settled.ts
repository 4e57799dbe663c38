import { setImmediate, setTimeout } from 'node:timers/promises'

/**
 * Lets started calls continue to the point where they wait for a response, a timer or a test. The turns of the event
 * loop come first, because on a busy machine a timer alone can end before any of these turns.
 */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  await setTimeout(20)
}
