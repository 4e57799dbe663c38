import { deserialize, serialize } from 'node:v8'

import type { FakeState } from '../server/context.js'
import type { FakeCore } from './fake-core.js'

const FORMAT = 'pathology-fake/1'

/** Everything a fake remembers at one moment. Opaque: pass it to `restore()`, or keep it as JSON. */
export interface FakeSnapshot {
  /** Which form of snapshot it is; a fake of another form refuses it. */
  readonly format: string
  /** @internal */
  readonly state: FakeState
}

/** A copy of what the fake remembers. */
export function takeSnapshot(core: FakeCore): FakeSnapshot {
  return { format: FORMAT, state: structuredClone(core.state) }
}

/**
 * Puts a fake back to a snapshot, which stays as it is and can be restored again.
 *
 * @throws RangeError - It is no snapshot of this version.
 */
export function restoreSnapshot(core: FakeCore, snapshot: FakeSnapshot): void {
  if (typeof snapshot !== 'object' || snapshot === null || snapshot.format !== FORMAT) {
    throw notASnapshot()
  }
  core.replaceState(structuredClone(snapshot.state))
}

/** A snapshot as JSON text. */
export function snapshotToJson(snapshot: FakeSnapshot): string {
  const { format, state } = snapshot
  return JSON.stringify({ format, state: serialize(state).toString('base64') })
}

/**
 * Reads back what {@link snapshotToJson} wrote.
 *
 * @throws RangeError - The text is something else.
 */
export function snapshotFromJson(text: string): FakeSnapshot {
  try {
    const { format, state }: { format: unknown; state: unknown } = JSON.parse(text)
    if (format !== FORMAT || typeof state !== 'string') throw notASnapshot()
    return { format, state: deserialize(Buffer.from(state, 'base64')) }
  } catch {
    throw notASnapshot()
  }
}

function notASnapshot(): RangeError {
  return new RangeError(`not a snapshot of this fake: its format must be '${FORMAT}'`)
}
