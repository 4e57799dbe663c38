import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Whether what `made` refers to is let go of by all but it. */
export async function isLetGo(made: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('the collector cannot be called')
  // A WeakRef's target stays until the turn in which it was looked at has ended.
  for (let round = 0; round < 5 && made.deref() !== undefined; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    collect()
  }
  return made.deref() === undefined
}
