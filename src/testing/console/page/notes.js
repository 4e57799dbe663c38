import { h } from './dom.js'

const SHOWN_MS = { good: 3_500, bad: 9_000 }
const MOST = 4

/**
 * Says briefly what became of something, in a corner where nothing moves for it.
 *
 * @param {Element} host
 * @param {'good' | 'bad'} tone
 * @param {string} text
 */
export function note(host, tone, text) {
  const element = h('p', { 'data-tone': tone }, text)
  while (host.childElementCount >= MOST) host.firstElementChild?.remove()
  host.append(element)
  setTimeout(() => element.remove(), SHOWN_MS[tone])
}

/**
 * Asks before something is done that cannot be undone.
 *
 * @param {string} question
 * @param {string} answer what the button that does it says
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
        h('button', { class: 'button', value: '' }, 'Leave it'),
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
