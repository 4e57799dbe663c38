import { number } from '../format.js'
import { type PageButton, run } from './act.js'
import { Button } from './buttons.js'
import { read, send } from './control.js'
import { overview, snapshots } from './state.js'

const KEPT_SNAPSHOTS = 5

/** The snapshots of this tab. The browser keeps them, so they have no view in the control API. */
export function Snapshots() {
  const openFile = (input: HTMLInputElement): void => {
    const [file] = input.files ?? []
    if (file === undefined) return
    void run(async () => restore(await file.text()))
    // Otherwise, the browser sends no event when the user chooses the same file again.
    input.value = ''
  }
  return (
    <>
      <p class="row">
        <Button button={TAKE_SNAPSHOT} />
        <label>
          Restore from a file{' '}
          <input
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => openFile(currentTarget)}
          />
        </label>
      </p>
      <p class="muted">A snapshot contains all records, the clock, tokens, faults and journals.</p>
      {snapshots.value.map(({ name, text }, place) => (
        <p class="row" key={`${name} ${place}`}>
          {name}, {number(Math.ceil(text.length / 1024))} kB
          <Button button={{ label: 'Restore', work: () => restore(text) }} />
          <Button button={{ label: 'Save to a file', work: async () => saveToFile(name, text) }} />
        </p>
      ))}
    </>
  )
}

export const TAKE_SNAPSHOT: PageButton = { label: 'Take a snapshot', work: takeSnapshot }

async function takeSnapshot(): Promise<string> {
  const text = JSON.stringify(await read('/snapshot'))
  const { now, counts } = overview.value
  const name = `${now.slice(0, 19).replace('T', ' ')}, ${counts.referrals} referrals`
  snapshots.value = [{ name, text }, ...snapshots.value].slice(0, KEPT_SNAPSHOTS)
  return 'Snapshot taken'
}

async function restore(text: string): Promise<string> {
  await send('POST', '/restore', text)
  return 'Snapshot restored'
}

function saveToFile(name: string, text: string): string {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = `pathology-fake ${name.slice(0, 19).replaceAll(':', '')}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
  return 'Snapshot saved. Start a fake from the file with: pathology-fake --seed FILE'
}
