import { useState } from 'preact/hooks'

import type { Button as ButtonRow } from '../view.js'
import { closeDialog, openDialog, perform, run } from './act.js'
import { ActionForm } from './form.js'

/** Carries a button out, or opens its form. */
export function press(button: ButtonRow): void {
  if (button.fields !== undefined && button.body === undefined) openForm(button)
  else void perform(button)
}

export function openForm(button: ButtonRow): void {
  openDialog({
    title: button.label,
    content: <ActionForm button={button} sent={closeDialog} />,
    size: 'wide',
  })
}

/** A button or a link. A button keeps the focus while its action runs, and `…` opens its fields. */
export function Button({ button }: { button: ButtonRow }) {
  const { label, description, tone, fields, body, path, href, copy } = button
  const [isBusy, setBusy] = useState(false)
  if (copy !== undefined) return <Copy text={copy} label={label} />
  if (href !== undefined && path === undefined && fields === undefined)
    return (
      <a class="button" href={href}>
        {label}
      </a>
    )
  const click = async (): Promise<void> => {
    if (isBusy) return
    if (fields !== undefined && body === undefined) return openForm(button)
    setBusy(true)
    await perform(button)
    setBusy(false)
  }
  const main = (
    <button
      type="button"
      class="button"
      data-tone={tone}
      title={description}
      aria-busy={isBusy}
      onClick={() => void click()}
    >
      {label}
    </button>
  )
  if (fields === undefined || body === undefined) return main
  const { body: _, ...form } = button
  return (
    <span class="joined">
      {main}
      <button
        type="button"
        class="button"
        aria-label={`${label} with fields`}
        title={`${label} with fields`}
        onClick={() => openForm(form)}
      >
        …
      </button>
    </span>
  )
}

/** A button that copies a text, and shows it if it has no label. */
export function Copy({ text, label }: { text: string; label?: string }) {
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
      {label ?? text}
    </button>
  )
}
