import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns `true` when only `made` refers to its target, so that the target was collected. */
export async function isCollected(made: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('the collector cannot be called')
  // A WeakRef keeps its target until the end of the event-loop turn in which it was read.
  for (let round = 0; round < 5 && made.deref() !== undefined; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    collect()
  }
  return made.deref() === undefined
}
