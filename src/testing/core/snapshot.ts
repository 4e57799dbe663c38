import { deserialize, serialize } from 'node:v8'

import type { FakeState } from '../state/context.js'
import type { FakeCore } from './fake-core.js'

const FORMAT = 'pathology-fake/1'

/** State of a fake at one time, without its options. Pass it to `restore()`, or store it with `snapshotToJson`. */
export interface FakeSnapshot {
  /** Format of the snapshot. A fake rejects a snapshot of another format. */
  readonly format: string
  /** @internal */
  readonly state: FakeState
}

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
  const { state } = snapshot
  const isState = typeof state === 'object' && state !== null
  if (!isState || Object.keys(core.state).some((part) => !Object.hasOwn(state, part))) throw invalidSnapshot()
  core.replaceState(structuredClone(state))
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
  return new RangeError(`not a snapshot of a fake: it must have the format '${FORMAT}' and a complete state`)
}
