import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { Button } from '../view.js'
import { changes, messageOf, send } from './control.js'

const SHOWN_MS = { good: 4_000, bad: 10_000 }
const MAX_NOTES = 4

type NoteTone = keyof typeof SHOWN_MS

const notes = signal<readonly { readonly id: number; readonly tone: NoteTone; readonly text: string }[]>([])
let lastNote = 0

/** Shows a short message in a corner of the page. */
export function say(tone: NoteTone, text: string): void {
  lastNote += 1
  const id = lastNote
  notes.value = [...notes.value, { id, tone, text }].slice(-MAX_NOTES)
  setTimeout(() => (notes.value = notes.value.filter((note) => note.id !== id)), SHOWN_MS[tone])
}

export function Notes() {
  return (
    <div id="notes" role="status" aria-live="polite">
      {notes.value.map(({ id, tone, text }) => (
        <p key={id} data-tone={tone}>
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

/** Carries a button out: sends its request if it has one, and opens its address. */
export async function perform(button: Button, body: object | undefined = button.body): Promise<boolean> {
  const { label, method = 'GET', path, done = `${label}: done`, href, confirm } = button
  if (confirm !== undefined && !(await ask(confirm, label))) return false
  return run(async () => {
    const content = path === undefined ? Object(body) : await send<object>(method, path, body)
    if (href !== undefined) location.hash = filled(href, content)
    return path === undefined ? '' : filled(done, content)
  })
}

function filled(template: string, content: object): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => String(Reflect.get(content, name)))
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
        <form method="dialog" class="row">
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
