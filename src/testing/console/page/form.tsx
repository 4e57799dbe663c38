import type { TargetedSubmitEvent } from 'preact'
import { useId, useState } from 'preact/hooks'

import { type Field, fieldOf, fieldValue } from '../../control/fields.js'
import { labelOf, plural, sentence } from '../format.js'
import type { Button, Choices } from '../view.js'
import { perform, run } from './act.js'
import { send } from './control.js'
import { choices as sharedChoices } from './state.js'

type Values = Readonly<Record<string, unknown>>
type Options = Choices[string]

/** The form of a button, drawn from the fields of its action. An empty field is left out. */
export function ActionForm({ button, sent }: { button: Button; sent?: () => void }) {
  const { label, description, fields = {}, folded = [], presets = {}, sample } = button
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
    sent?.()
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
      {Object.keys(presets).length === 0 ? null : (
        <Presets key={round} presets={presets} fill={setInvented} />
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
      </p>
    </form>
  )
}

function optionsOf(button: Button, name: string): Options {
  const { choices: listed } = fieldOf(button.fields?.[name] ?? '')
  if (listed.length > 0) return listed.map((one) => [one, labelOf(one)] as const)
  return button.choices?.[name] ?? sharedChoices.value[name] ?? []
}

/** Returns the body that the form's fields describe. */
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

function Presets({
  presets,
  fill,
}: {
  presets: NonNullable<Button['presets']>
  fill: (values: Values) => void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Preset</label>
      <select id={id} onChange={({ currentTarget: { value } }) => fill(presets[value] ?? {})}>
        <option value="">Choose, or set the fields</option>
        {Object.keys(presets).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
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
  const id = useId()
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
  const isLong = kind === 'text' || kind === 'object'
  const isPair = kind === 'object' && options.length > 0
  return (
    <div class={isLong && !isPair ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {isPair ? (
        <PairInput {...{ id, name, label, options }} />
      ) : (
        <Control {...{ id, name, kind, options, isLong }} text={textOf(value, isLong)} help={help} />
      )}
      {help === '' ? null : <small id={`${id}-help`}>{help}</small>}
    </div>
  )
}

const NUMBER = { type: 'number' } as const
const TEXT = { type: 'text' } as const

interface ControlProps {
  readonly id: string
  readonly name: string
  readonly kind: Field['kind']
  readonly options: Options
  readonly isLong: boolean
  readonly text: string
  readonly help: string
}

function Control({ id, name, kind, options, isLong, text, help }: ControlProps) {
  const describedBy = help === '' ? undefined : `${id}-help`
  if (options.length > 0) return <Select {...{ id, name, options }} selected={text} />
  if (isLong)
    return (
      <textarea
        id={id}
        name={name}
        rows={text.includes('\n') ? 12 : 3}
        spellcheck={false}
        aria-describedby={describedBy}
        defaultValue={text}
      />
    )
  return (
    <input
      id={id}
      name={name}
      {...(kind === 'integer' ? NUMBER : TEXT)}
      autocomplete="off"
      aria-describedby={describedBy}
      defaultValue={text}
    />
  )
}

function Select({
  id,
  name,
  options,
  selected,
}: Pick<ControlProps, 'id' | 'name' | 'options'> & { selected: string }) {
  return (
    <select id={id} name={name}>
      {options.some(([value]) => value === selected) ? null : <option value="">–</option>}
      {options.map(([value, label]) => (
        <option key={value} value={value} selected={value === selected}>
          {label}
        </option>
      ))}
    </select>
  )
}

/** One entry of an object by ids, such as the value of a biomarker. */
function PairInput({
  id,
  name,
  label,
  options,
}: Pick<ControlProps, 'id' | 'name' | 'options'> & { label: string }) {
  return (
    <span class="row">
      <select name={`${name} key`} aria-label={`${label}: name`}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <input id={id} name={name} autocomplete="off" size={10} />
    </span>
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
