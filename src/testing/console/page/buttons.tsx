import { useState } from 'preact/hooks'

import { openDialog, type PageButton, perform, run } from './act.js'
import { ActionForm } from './form.js'

/** Carries a button out, or opens its form. */
export async function press(button: PageButton): Promise<void> {
  const needsForm = button.fields !== undefined && button.body === undefined
  if (needsForm || button.confirm !== undefined) openForm(button)
  else await perform(button)
}

function openForm(button: PageButton): void {
  openDialog(button.confirm ?? button.label, <ActionForm button={button} isDialog />)
}

/** A button or a link. A button keeps the focus while its action runs, and `…` opens its fields. */
export function Button({ button }: { button: PageButton }) {
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
    setBusy(true)
    await press(button)
    setBusy(false)
  }
  return (
    <>
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
      {fields === undefined || body === undefined ? null : (
        <button
          type="button"
          class="button"
          aria-label={`${label} with fields`}
          title={`${label} with fields`}
          onClick={() => openForm(button)}
        >
          …
        </button>
      )}
    </>
  )
}

export function Buttons({ of }: { of: readonly PageButton[] }) {
  return (
    <>
      {of.map((button) => (
        <Button key={`${button.label} ${button.path}`} button={button} />
      ))}
    </>
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
