import { h } from './dom.js'

const SHOWN_MS = { good: 3_500, bad: 9_000 }
/** Maximum number of messages at the same time. */
const MAX_NOTES = 4

/**
 * Shows a short message in a corner of the page.
 *
 * @param {Element} host
 * @param {'good' | 'bad'} tone
 * @param {string} text
 */
export function note(host, tone, text) {
  const element = h('p', { 'data-tone': tone }, text)
  while (host.childElementCount >= MAX_NOTES) host.firstElementChild?.remove()
  host.append(element)
  setTimeout(() => element.remove(), SHOWN_MS[tone])
}

/**
 * Asks for confirmation of an action that cannot be undone.
 *
 * @param {string} question
 * @param {string} answer label of the button that confirms
 * @returns {Promise<boolean>}
 */
export function ask(question, answer) {
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      'dialog',
      null,
      h(
        'form',
        { method: 'dialog' },
        h('p', { class: 'question' }, question),
        h('button', { class: 'button', value: '' }, 'Cancel'),
        h('button', { class: 'button', value: 'yes', 'data-tone': 'bad' }, answer),
      ),
    )
  )
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
  })
}

/** Closes open dialogs, as Cancel does. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll('dialog')) dialog.close('')
}
