import { deserialize, serialize } from 'node:v8'

import type { FakeState } from '../state/context.js'
import type { FakeCore } from './fake-core.js'

const FORMAT = 'pathology-fake/1'

/** Everything a fake remembers at one time. Pass it to `restore()`, or store it with `snapshotToJson`. */
export interface FakeSnapshot {
  /** Format of the snapshot. A fake rejects a snapshot of another format. */
  readonly format: string
  /** @internal */
  readonly state: FakeState
}

/** A copy of everything the fake remembers. */
export function takeSnapshot(core: FakeCore): FakeSnapshot {
  return { format: FORMAT, state: structuredClone(core.state) }
}

/**
 * Returns a fake to the state of a snapshot. The snapshot does not change and can be restored again.
 *
 * @throws RangeError - The value is not a snapshot of this format.
 */
export function restoreSnapshot(core: FakeCore, snapshot: FakeSnapshot): void {
  if (typeof snapshot !== 'object' || snapshot === null || snapshot.format !== FORMAT) {
    throw invalidSnapshot()
  }
  core.replaceState(structuredClone(snapshot.state))
}

/** Converts a snapshot to JSON text. */
export function snapshotToJson(snapshot: FakeSnapshot): string {
  const { format, state } = snapshot
  return JSON.stringify({ format, state: serialize(state).toString('base64') })
}

/**
 * Reads a snapshot from the text of {@link snapshotToJson}.
 *
 * @throws RangeError - The text is not a snapshot.
 */
export function snapshotFromJson(text: string): FakeSnapshot {
  try {
    const { format, state }: { format: unknown; state: unknown } = JSON.parse(text)
    if (format !== FORMAT || typeof state !== 'string') throw invalidSnapshot()
    return { format, state: deserialize(Buffer.from(state, 'base64')) }
  } catch {
    throw invalidSnapshot()
  }
}

function invalidSnapshot(): RangeError {
  return new RangeError(`not a snapshot of this fake: its format must be '${FORMAT}'`)
}
