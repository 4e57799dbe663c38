import { signal } from '@preact/signals'
import { type ComponentChildren, h, type TargetedSubmitEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

import { changes, messageOf, send } from './control.js'

/** A request to the control API, and the message after it. */
export interface Command {
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly done: string | ((content: Content) => string)
  /** Address to open afterwards. */
  readonly go?: (content: Content) => string
}

/** Fields of responses that messages and addresses use. */
interface Content {
  readonly uuid: string
  readonly number: number
  readonly deliveries: number
}

type Tone = 'good' | 'bad'

const SHOWN_MS = { good: 4_000, bad: 10_000 }
const MAX_NOTES = 4

const notes = signal<readonly { readonly id: number; readonly tone: Tone; readonly text: string }[]>([])
let lastNote = 0

/** The colour of a mark or a message: the name of a custom property of the style sheet. */
export function toneStyle(tone: string): Readonly<Record<string, string>> {
  return { '--tone': `var(--${tone})` }
}

/** Shows a short message in a corner of the page. */
export function say(tone: Tone, text: string): void {
  lastNote += 1
  const id = lastNote
  notes.value = [...notes.value, { id, tone, text }].slice(-MAX_NOTES)
  setTimeout(() => (notes.value = notes.value.filter((note) => note.id !== id)), SHOWN_MS[tone])
}

export function Notes() {
  return (
    <div id="notes" role="status" aria-live="polite">
      {notes.value.map(({ id, tone, text }) => (
        <p key={id} style={toneStyle(tone)}>
          {text}
        </p>
      ))}
    </div>
  )
}

/** Runs an action, shows its outcome, and makes the views read again. */
export async function run(work: () => Promise<string>): Promise<boolean> {
  try {
    const words = await work()
    if (words !== '') say('good', words)
    changes.value += 1
    return true
  } catch (error) {
    say('bad', messageOf(error))
    return false
  }
}

export async function perform({ method = 'POST', path, body, done, go }: Command): Promise<string> {
  const content = await send<Content>(method, path, body)
  if (go !== undefined) location.hash = go(content)
  return typeof done === 'function' ? done(content) : done
}

interface ActProps {
  readonly label: string
  readonly command: Command | (() => Promise<string>)
  readonly tone?: 'main' | 'bad' | undefined
  readonly title?: string
  readonly small?: boolean
  /** Question that a dialog asks first. */
  readonly confirm?: string
}

/** A button that runs an action. It keeps the focus while the action runs. */
export function Act({ label, command, tone, title, small = false, confirm }: ActProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async (): Promise<void> => {
    if (isBusy || (confirm !== undefined && !(await ask(confirm, label)))) return
    setBusy(true)
    await run(typeof command === 'function' ? command : () => perform(command))
    setBusy(false)
  }
  return (
    <button
      type="button"
      class={small ? 'button small' : 'button'}
      data-tone={tone}
      title={title}
      aria-busy={isBusy}
      onClick={() => void press()}
    >
      {label}
    </button>
  )
}

/** A button that copies a text. */
export function Copy({
  text,
  children,
  label,
}: {
  text: string
  children?: ComponentChildren
  label?: string
}) {
  const copy = async (): Promise<string> => {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  }
  return (
    <button
      type="button"
      class={label === undefined ? 'copy mono' : 'button'}
      data-copy={text}
      title="Copy"
      onClick={() => void run(copy)}
    >
      {label ?? children ?? text}
    </button>
  )
}

interface FormProps {
  readonly name: string
  /** The request that the form's fields describe. */
  readonly command: (fields: FormData) => Command
  readonly children: ComponentChildren
  readonly class?: string
  readonly sent?: () => void
}

export function Form({ name, command, children, class: style = 'form', sent }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    const isDone = await run(async () => perform(command(fields)))
    setBusy(false)
    if (isDone) sent?.()
  }
  return (
    <form class={style} data-form={name} aria-busy={isBusy} onSubmit={(event) => void submit(event)}>
      {children}
    </form>
  )
}

/** The text of a form's field, without surrounding space. */
export function textOf(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim()
}

/** The types of JSX want the type of an input as a literal. */
const FIELD: string = 'input'

interface InputProps {
  readonly label: string
  readonly name: string
  readonly type?: 'text' | 'date' | 'email' | 'number' | 'tel' | 'url'
  readonly required?: boolean
  readonly placeholder?: string
  readonly title?: string
  readonly defaultValue?: string
  readonly size?: number
  readonly min?: number
}

interface TextProps {
  readonly label: string
  readonly name: string
  readonly rows: number
  readonly defaultValue: string
}

interface CheckProps {
  readonly label: string
  readonly name?: string
  readonly value?: string
  readonly title?: string
  readonly checked?: boolean
  readonly defaultChecked?: boolean
  readonly onChange?: () => void
}

export function Input({ label, type = 'text', ...rest }: InputProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {h(FIELD, { id, type, autocomplete: 'off', ...rest })}
    </div>
  )
}

export function TextArea({ label, ...rest }: TextProps) {
  const id = useId()
  return (
    <div class="field wide">
      <label for={id}>{label}</label>
      <textarea id={id} class="mono" spellcheck={false} {...rest} />
    </div>
  )
}

export function Check({ label, ...rest }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" {...rest} />
      {label}
    </label>
  )
}

interface SelectProps {
  readonly label: string
  readonly name: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly selected?: string
  /** Called when the user picks another option. */
  readonly picked?: (value: string, form: HTMLFormElement | null) => void
  /** Without a visible label. */
  readonly bare?: boolean
}

export function Select({ label, name, options, selected, picked, bare = false }: SelectProps) {
  const id = useId()
  const select = (
    <select
      id={id}
      name={name}
      aria-label={bare ? label : undefined}
      onChange={({ currentTarget: { value, form } }) => picked?.(value, form)}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value} selected={value === selected}>
          {text}
        </option>
      ))}
    </select>
  )
  if (bare) return select
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {select}
    </div>
  )
}

export function Submit({ children, tone = 'main' }: { children: ComponentChildren; tone?: 'main' | 'bad' }) {
  return (
    <button type="submit" class="button" data-tone={tone}>
      {children}
    </button>
  )
}

interface DialogProps {
  readonly title: string
  readonly content: ComponentChildren
  readonly closed?: (value: string) => void
  readonly size?: 'wide' | 'palette'
}

const opened = signal<{ readonly id: number; readonly dialog: DialogProps } | undefined>(undefined)
let lastDialog = 0

export function openDialog(dialog: DialogProps): void {
  lastDialog += 1
  opened.value = { id: lastDialog, dialog }
}

export function closeDialog(): void {
  document.querySelector('dialog')?.close()
}

/** The open dialog. Each has an element of its own, because one can open the next while it closes. */
export function OpenDialog() {
  if (opened.value === undefined) return null
  const { id, dialog } = opened.value
  const closed = (value: string): void => {
    if (opened.value?.id === id) opened.value = undefined
    dialog.closed?.(value)
  }
  return <Dialog key={id} {...dialog} closed={closed} />
}

/** The browser gives the focus back to the control that opened the dialog. */
function Dialog({ title, content, closed, size }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog
      ref={element}
      class={size}
      aria-label={title}
      onClose={({ currentTarget }) => closed?.(currentTarget.returnValue)}
    >
      <h2 class={size === 'palette' ? 'hidden' : undefined}>{title}</h2>
      {content}
    </dialog>
  )
}

/** Asks before an action that can't be undone. */
function ask(question: string, answer: string): Promise<boolean> {
  return new Promise((resolve) => {
    openDialog({
      title: question,
      closed: (value) => resolve(value === 'yes'),
      content: (
        <form method="dialog" class="answers">
          <button class="button" type="submit" value="">
            Cancel
          </button>
          <button class="button" type="submit" value="yes" data-tone="bad">
            {answer}
          </button>
        </form>
      ),
    })
  })
}
