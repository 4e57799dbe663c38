import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Button } from '../view.js'
import { changes, messageOf, send } from './control.js'

const SHOWN_MS = { good: 4_000, bad: 10_000 }
const MAX_NOTES = 4

type NoteTone = keyof typeof SHOWN_MS

const notes = signal<readonly { readonly id: number; readonly tone: NoteTone; readonly text: string }[]>([])
let lastNote = 0

/** The colour of a mark or a message: the name of a custom property of the style sheet. */
export function toneStyle(tone: string): Readonly<Record<string, string>> {
  return { '--tone': `var(--${tone})` }
}

/** Shows a short message in a corner of the page. */
export function say(tone: NoteTone, text: string): void {
  lastNote += 1
  const id = lastNote
  notes.value = [...notes.value, { id, tone, text }].slice(-MAX_NOTES)
  setTimeout(() => (notes.value = notes.value.filter((note) => note.id !== id)), SHOWN_MS[tone])
}

function Notes() {
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

/** A button of the page itself, whose work needs no request. */
export interface PageButton extends Button {
  readonly work?: () => Promise<string>
}

/** Carries a button out: sends its request if it has one, and opens its address. */
export function perform(button: PageButton, body: object | undefined = button.body): Promise<boolean> {
  const { label, method = 'GET', path, done = `${label}: done`, href, work } = button
  return run(async () => {
    const content = path === undefined ? Object(body) : await send<object>(method, path, body)
    if (href !== undefined) location.hash = filled(href, content)
    if (work !== undefined) return work()
    return path === undefined ? '' : filled(done, content)
  })
}

/** Opens the address of a view or of a page in it. The next Tab is in what it shows. */
export function visit(hash: string): void {
  location.hash = hash
  document.querySelector<HTMLElement>(hash.includes('/', 2) ? '.detail, .panel' : 'main')?.focus()
}

function filled(template: string, content: object): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => String(Reflect.get(content, name)))
}

interface DialogProps {
  readonly title: string
  readonly content: ComponentChildren
}

const opened = signal<{ readonly id: number; readonly dialog: DialogProps } | undefined>(undefined)
let lastDialog = 0

export function openDialog(title: string, content: ComponentChildren): void {
  lastDialog += 1
  opened.value = { id: lastDialog, dialog: { title, content } }
}

export function closeDialog(): void {
  document.querySelector('dialog')?.close()
}

/**
 * The open dialog with the messages, which it would cover. Each dialog has an element of its own, because one can open
 * the next while it closes.
 */
export function OpenDialog() {
  if (opened.value === undefined) return <Notes />
  const { id, dialog } = opened.value
  const closed = (): void => {
    if (opened.value?.id === id) opened.value = undefined
  }
  return <Dialog key={id} {...dialog} closed={closed} />
}

/** The browser gives the focus back to the control that opened the dialog. */
function Dialog({ title, content, closed }: DialogProps & { closed: () => void }) {
  const element = useRef<HTMLDialogElement>(null)
  // At once, so that the next key goes to the dialog.
  useLayoutEffect(() => element.current?.showModal(), [])
  return (
    <dialog ref={element} aria-label={title} onClose={closed}>
      <h2>{title}</h2>
      {content}
      <Notes />
    </dialog>
  )
}
