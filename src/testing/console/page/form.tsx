import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useId, useState } from 'preact/hooks'

import { type Field, fieldOf, fieldValue } from '../../control/fields.js'
import { labelOf, plural, sentence } from '../format.js'
import type { Button, Choices } from '../view.js'
import { closeDialog, type PageButton, perform, run } from './act.js'
import { send } from './control.js'
import { choices as sharedChoices } from './state.js'

type Values = Readonly<Record<string, unknown>>
type Options = Choices[string]

/** The form of a button, drawn from the fields of its action. An empty field is left out. */
export function ActionForm({ button, isDialog = false }: { button: PageButton; isDialog?: boolean }) {
  const { label, description, fields = {}, folded = [], presets, sample } = button
  const [round, setRound] = useState(0)
  const [invented, setInvented] = useState<Values>({})
  const [isBusy, setBusy] = useState(false)
  const values: Values = { ...button.values, ...invented }
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const isDone = await perform(button, bodyOf(new FormData(event.currentTarget), button, values))
    setBusy(false)
    if (!isDone) return
    setInvented({})
    setRound(round + 1)
    if (isDialog) closeDialog()
  }
  const invent = (path: string): Promise<boolean> =>
    run(async () => {
      setInvented(await send('POST', path))
      return ''
    })
  const field = (name: string) => (
    // A field that gets another value starts anew, and the others keep what the user entered.
    <FormField
      key={`${name} ${round} ${JSON.stringify(values[name])}`}
      name={name}
      description={fields[name] ?? ''}
      value={values[name]}
      options={optionsOf(button, name)}
    />
  )
  const isFolded = (name: string): boolean => folded.includes(name) && values[name] === undefined
  const names = Object.keys(fields)
  return (
    <form class="fields" aria-label={label} aria-busy={isBusy} onSubmit={(event) => void submit(event)}>
      {description === undefined ? null : <p class="wide muted">{sentence(description)}</p>}
      {presets === undefined ? null : (
        <Labelled key={round} label="Preset">
          {(id) => (
            <Select
              id={id}
              options={[['', '–'], ...Object.keys(presets).map((name) => [name, name] as const)]}
              picked={(name) => setInvented(presets[name] ?? {})}
            />
          )}
        </Labelled>
      )}
      {names.filter((name) => !isFolded(name)).map(field)}
      {names.some(isFolded) ? (
        <details class="wide">
          <summary>More fields: {names.filter(isFolded).map(labelOf).join(', ')}</summary>
          <div class="fields">{names.filter(isFolded).map(field)}</div>
        </details>
      ) : null}
      <p class="wide row">
        <button type="submit" class="button" data-tone={button.tone ?? 'main'}>
          {label}
        </button>
        {sample === undefined ? null : (
          <button type="button" class="button" onClick={() => void invent(sample)}>
            Fill in sample data
          </button>
        )}
        {isDialog ? (
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
        ) : null}
      </p>
    </form>
  )
}

function optionsOf(button: Button, name: string): Options {
  const { choices: listed } = fieldOf(button.fields?.[name] ?? '')
  if (listed.length > 0) return listed.map((one) => [one, labelOf(one)] as const)
  return button.choices?.[name] ?? sharedChoices.value[name] ?? []
}

function bodyOf(form: FormData, { fields = {} }: Button, values: Values): object {
  const given = Object.entries(fields).map(([name, description]) => {
    const { kind } = fieldOf(description)
    return [name, enteredValue(form, name, kind, values[name])] as const
  })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/** The value of a field; `undefined` if it's empty. A box that isn't checked is `false` only if it was checked at first. */
function enteredValue(form: FormData, name: string, kind: Field['kind'], before: unknown): unknown {
  if (kind === 'boolean') return form.has(name) || (before === undefined ? undefined : false)
  const text = String(form.get(name) ?? '').trim()
  if (text === '') return undefined
  const key = form.get(`${name} key`)
  return key === null ? fieldValue(text, kind) : { [String(key)]: text }
}

interface LabelledProps {
  readonly label: string
  readonly help?: string
  readonly isWide?: boolean
  readonly children: (id: string) => ComponentChildren
}

function Labelled({ label, help = '', isWide = false, children }: LabelledProps) {
  const id = useId()
  return (
    <div class={isWide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {children(id)}
      {help === '' ? null : <small>{help}</small>}
    </div>
  )
}

interface FieldProps {
  readonly name: string
  readonly description: string
  readonly value: unknown
  readonly options: Options
}

/** A field, drawn from its description, which is also its help text. */
function FormField({ name, description, value, options }: FieldProps) {
  const { kind, help } = fieldOf(description)
  const label = labelOf(name)
  if (kind === 'boolean')
    return (
      <label class="field check" title={help}>
        <input type="checkbox" name={name} defaultChecked={value === true} />
        <span>{label}</span>
      </label>
    )
  if (kind === 'list' && options.length > 0) return <Picker {...{ name, label, options, value }} />
  const isLong = (kind === 'text' || kind === 'object') && options.length === 0
  const text = textOf(value, isLong)
  return (
    <Labelled label={label} help={help} isWide={isLong}>
      {(id) => {
        if (isLong) return <LongText id={id} name={name} text={text} />
        if (kind === 'object') return <Pair id={id} name={name} label={label} options={options} />
        const given = options.some(([one]) => one === text) ? options : [['', '–'] as const, ...options]
        if (options.length > 0) return <Select id={id} name={name} options={given} selected={text} />
        const attributes = { id, name, autocomplete: 'off', defaultValue: text }
        return kind === 'integer' ? (
          <input type="number" {...attributes} />
        ) : (
          <input type="text" {...attributes} />
        )
      }}
    </Labelled>
  )
}

function LongText({ id, name, text }: { id: string; name: string; text: string }) {
  const rows = Math.min(12, Math.max(3, text.split('\n').length))
  return <textarea id={id} name={name} rows={rows} spellcheck={false} defaultValue={text} />
}

interface SelectProps {
  readonly id?: string
  readonly name?: string
  /** Label for a list without a visible one. */
  readonly label?: string
  readonly options: Options
  readonly selected?: string
  readonly picked?: (value: string) => void
}

export function Select({ id, name, label, options, selected, picked }: SelectProps) {
  return (
    <select
      id={id}
      name={name}
      aria-label={label}
      onChange={({ currentTarget: { value } }) => picked?.(value)}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value} selected={value === selected}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** One entry of an object by ids, such as the value of a biomarker. */
function Pair({ id, name, label, options }: { id: string; name: string; label: string; options: Options }) {
  return (
    <>
      <Select name={`${name} key`} label={`${label}: name`} options={options} />
      <input id={id} name={name} autocomplete="off" />
    </>
  )
}

function textOf(value: unknown, isLong: boolean): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, isLong ? 2 : 0)
}

interface PickerProps {
  readonly name: string
  readonly label: string
  readonly options: Options
  readonly value: unknown
}

/** Several of many values: a list that a text filters, with a chip for each chosen one. */
function Picker({ name, label, options, value }: PickerProps) {
  const [chosen, setChosen] = useState<readonly string[]>(Array.isArray(value) ? value.map(String) : [])
  const [filter, setFilter] = useState('')
  const wanted = filter.toLowerCase()
  const shown = options.filter(([id, text]) => `${text} ${id}`.toLowerCase().includes(wanted))
  const toggle = (id: string): void =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <fieldset class="wide">
      <legend>{label}</legend>
      <div class="row">
        {chosen.map((id) => (
          <button key={id} type="button" class="chip" onClick={() => toggle(id)}>
            <span class="hidden">Remove </span>
            {options.find(([one]) => one === id)?.[1] ?? id} <span aria-hidden="true">×</span>
          </button>
        ))}
        <span class="muted" role="status">
          {chosen.length === 0 ? 'None chosen' : `${plural(chosen.length, 'choice')} of ${options.length}`}
        </span>
      </div>
      <input
        type="search"
        aria-label={`Filter ${label.toLowerCase()}`}
        placeholder="Filter"
        autocomplete="off"
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <div class="options" tabIndex={0}>
        {shown.map(([id, text]) => (
          <label key={id} class="check" title={id}>
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      <input type="hidden" name={name} value={chosen.length === 0 ? '' : JSON.stringify(chosen)} />
    </fieldset>
  )
}
