import { read, send } from './control.js'
import { planOf } from './directory.js'
import { faultOf } from './faults.js'
import { ask } from './notes.js'
import { orderOf } from './order-form.js'

/**
 * @typedef {import('./console.js').State} State
 * @typedef {{ method?: string, path: string, body: unknown,
 *   done: string | ((response: { readonly deliveries: number }) => string), go?: string }} Command
 */

const KEPT_SNAPSHOTS = 5

/**
 * The control API request of each form.
 *
 * @type {Readonly<Record<string, (form: FormData) => Command>>}
 */
const FORMS = {
  advance: (form) => ({
    path: '/clock/advance',
    body: { [String(form.get('unit'))]: Number(form.get('amount')) },
    done: `Clock: +${form.get('amount')} ${form.get('unit')}`,
  }),
  inject: (form) => ({ path: '/faults', body: faultOf(form), done: 'Fault added' }),
  deliveryFault: (form) => ({
    path: '/deliveries/faults',
    body: { kind: form.get('kind'), times: Number(form.get('times')), ...given(form, 'eventName') },
    done: 'Delivery fault added',
  }),
  quota: (form) => ({
    method: 'PUT',
    path: '/quota',
    body: { limit: Number(form.get('limit')), perMs: Number(form.get('seconds')) * 1000 },
    done: 'Request limit set',
  }),
  order: (form) => ({
    path: '/console/order',
    body: orderOf(form),
    done: 'Order placed',
    go: '#/referrals/{uuid}',
  }),
  amend: (form) => ({
    path: `/results/${form.get('uuid')}/amend`,
    body: { values: { [String(form.get('biomarker'))]: String(form.get('value')).trim() } },
    done: 'Result amended',
  }),
  option: (form) => ({
    method: 'PUT',
    path: '/options',
    body: { [String(form.get('name'))]: readValue(String(form.get('value'))) },
    done: `${form.get('name')}: ${form.get('value')}`,
  }),
  refresh: (form) => ({ path: '/centres/weekly-refresh', body: planOf(form), done: 'Directory refreshed' }),
  webhook: (form) => ({ path: '/webhooks', body: { url: form.get('url') }, done: 'Webhook added' }),
  trigger: (form) => ({
    path: '/trigger',
    body: { eventName: form.get('eventName'), ...given(form, 'entityUuid') },
    done: ({ deliveries }) =>
      deliveries > 0 ? `Deliveries added: ${deliveries}` : 'Not sent: no active webhook has this event',
  }),
}

/**
 * Sends the request of a form.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<string>} the message to show
 */
export async function submitForm(form) {
  const command = FORMS[form.dataset['form'] ?? '']?.(new FormData(form))
  if (command === undefined) return ''
  const content = await send(command.method ?? 'POST', command.path, command.body)
  if (command.go !== undefined) location.hash = command.go.replace('{uuid}', encodeURIComponent(content.uuid))
  return typeof command.done === 'function' ? command.done(content) : command.done
}

/**
 * Sends the request of a button.
 *
 * @param {HTMLElement} button
 * @returns {Promise<string>} the message to show; '' if the user cancelled
 */
export async function pressButton(button) {
  const { method = 'POST', path = '', body, confirm, done = '', go } = button.dataset
  if (confirm !== undefined && !(await ask(confirm, button.textContent ?? ''))) return ''
  const content = await send(method, path, body)
  if (go !== undefined) location.hash = go.replace('{uuid}', encodeURIComponent(content.uuid))
  return done
}

/**
 * Actions on snapshots. The browser tab stores the snapshots.
 *
 * @type {Readonly<Record<string, (state: State, control: HTMLElement) => Promise<string>>>}
 */
export const SNAPSHOTS = {
  take: async (state) => {
    const text = JSON.stringify(await read('/snapshot'))
    const name = `${state.overview.now.slice(0, 19).replace('T', ' ')}, ${state.overview.counts.referrals} referrals`
    state.snapshots = [{ name, text }, ...state.snapshots].slice(0, KEPT_SNAPSHOTS)
    return 'Snapshot taken'
  },
  restore: async (state, control) => {
    await send('POST', '/restore', selectedSnapshot(state, control).text)
    return 'Snapshot restored'
  },
  save: async (state, control) => {
    const { name, text } = selectedSnapshot(state, control)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = `pathology-fake ${name.slice(0, 19).replaceAll(':', '')}.json`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
    return 'Snapshot saved. Start a fake from the file with: pathology-fake --seed FILE'
  },
  open: async (_state, control) => {
    if (!(control instanceof HTMLInputElement)) return ''
    const [file] = control.files ?? []
    if (file === undefined) return ''
    const text = await file.text()
    // Otherwise, the browser sends no event when the user chooses the same file again.
    control.value = ''
    await send('POST', '/restore', text)
    return 'Snapshot restored'
  },
}

/**
 * @param {State} state
 * @param {HTMLElement} control
 */
function selectedSnapshot({ snapshots }, control) {
  const snapshot = snapshots[Number(control.dataset['index'])]
  if (snapshot === undefined) throw new Error('this snapshot is no longer available: take a new one')
  return snapshot
}

/**
 * Reads a value as JSON. Text that is not JSON is a string. Empty text becomes `null`, which restores the default.
 *
 * @param {string} text
 */
function readValue(text) {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text.trim()
  }
}

/**
 * Returns one field of the request; no field if the form's field is empty.
 *
 * @param {FormData} form
 * @param {string} name
 */
function given(form, name) {
  const value = String(form.get(name) ?? '').trim()
  return value === '' ? {} : { [name]: value }
}
