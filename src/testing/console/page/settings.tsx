import type { showOptions } from '../overview.js'
import { Act, Copy, Form, run } from './actions.js'
import { read, send, useRead } from './control.js'
import { number } from './format.js'
import { Block, Empty, Facts, Pill, parsed, Text } from './parts.js'
import { overview, snapshots } from './state.js'

type Option = ReturnType<typeof showOptions>['options'][number]

/** First sentences of the options' docstrings; the build puts them in. */
declare const OPTION_TEXTS: Readonly<Record<string, string>>

const KEPT_SNAPSHOTS = 5

export function Settings() {
  const { data } = useRead<ReturnType<typeof showOptions>>('/console/options')
  if (data === undefined) return null
  const options = data.options.toSorted((one, other) => Number(other.changed) - Number(one.changed))
  return (
    <div class="columns">
      <div>
        <Block title="Connect a client">
          <Connection />
        </Block>
        <Block title="Snapshots">
          <Snapshots />
        </Block>
        <Block title="Reset">
          <Act
            label="Reset"
            tone="bad"
            confirm="Delete all data?"
            title="Deletes all data and starts again with the same options"
            command={{ path: '/reset', done: 'The fake was reset' }}
          />
        </Block>
      </div>
      <div>
        <Block title="Options">
          <ul class="cards">
            {options.map((option) => (
              <OptionRow key={option.name} option={option} />
            ))}
          </ul>
        </Block>
      </div>
    </div>
  )
}

function Connection() {
  const { baseUrl, authUrl, clientId, environment } = overview.value
  const code = [
    'new PathologyClient({',
    `  baseUrl: '${baseUrl}',`,
    `  authUrl: '${authUrl}',`,
    `  clientId: '${clientId}',`,
    '  clientSecret: …, // option clientSecret of the fake; pathology-fake prints it',
    '})',
  ].join('\n')
  return (
    <>
      <Facts
        rows={[
          ['Base URL', <Copy key="base" text={baseUrl} />],
          ['Token service', <Copy key="auth" text={authUrl} />],
          ['Client id', <Copy key="id" text={clientId} />],
          ['Environment', environment],
        ]}
      />
      <Text>{code}</Text>
    </>
  )
}

/** Takes a snapshot, which this tab keeps. */
export async function takeSnapshot(): Promise<string> {
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

function Snapshots() {
  const openFile = (input: HTMLInputElement): void => {
    const [file] = input.files ?? []
    if (file === undefined) return
    void run(async () => restore(await file.text()))
    // Otherwise, the browser sends no event when the user chooses the same file again.
    input.value = ''
  }
  return (
    <>
      <div class="action-bar">
        <Act label="Take a snapshot" tone="main" command={takeSnapshot} />
        <label class="button file">
          Restore from a file
          <input
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => openFile(currentTarget)}
          />
        </label>
      </div>
      {snapshots.value.length === 0 ? (
        <Empty>
          No snapshots in this tab. A snapshot contains all records, the clock, tokens, faults and journals.
        </Empty>
      ) : null}
      <ul class="cards">
        {snapshots.value.map(({ name, text }, index) => (
          <li key={`${name} ${index}`}>
            <span class="wide">{name}</span>
            <span class="muted">{number(Math.ceil(text.length / 1024))} kB</span>
            <Act label="Restore" command={() => restore(text)} />
            <Act label="Save to a file" command={async () => saveToFile(name, text)} />
          </li>
        ))}
      </ul>
    </>
  )
}

function OptionRow({ option: { name, value, changed, changeable, choices } }: { option: Option }) {
  return (
    <li class="option">
      <div class="wide">
        <span class="mono name">{name}</span> {changed ? <Pill tone="busy">Changed</Pill> : null}
        <p class="muted">{OPTION_TEXTS[name]}</p>
      </div>
      {changeable ? (
        <OptionForm key={value} name={name} value={value} choices={choices} />
      ) : (
        <span class="mono value">{value}</span>
      )}
    </li>
  )
}

/** A select element changes the option at once; a text field needs Enter or the button. */
function OptionForm({ name, value, choices }: Pick<Option, 'name' | 'value' | 'choices'>) {
  const command = (fields: FormData) => {
    const text = String(fields.get('value')).trim()
    // No text restores the default.
    const body = { [name]: text === '' ? null : parsed(text) }
    return { method: 'PUT' as const, path: '/options', body, done: `${name}: ${text}` }
  }
  return (
    <Form name="option" command={command}>
      {choices.length > 0 ? (
        <select
          name="value"
          aria-label={name}
          onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice} selected={choice === value}>
              {choice.replaceAll('"', '')}
            </option>
          ))}
        </select>
      ) : (
        <>
          <input name="value" aria-label={name} defaultValue={value} autocomplete="off" />
          <button type="submit" class="button" aria-label={`Set ${name}`}>
            Set
          </button>
        </>
      )}
    </Form>
  )
}
