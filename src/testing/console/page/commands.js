import { read, send } from './control.js'
import { planOf } from './directory.js'
import { faultOf } from './faults.js'
import { ask } from './notes.js'

/**
 * @typedef {import('./console.js').State} State
 * @typedef {{ method?: string, path: string, body: unknown, done: string }} Command
 */

const KEPT_SNAPSHOTS = 5

/**
 * What each form asks of the control interface.
 *
 * @type {Readonly<Record<string, (form: FormData) => Command>>}
 */
const FORMS = {
  advance: (form) => ({
    path: '/clock/advance',
    body: { [String(form.get('unit'))]: Number(form.get('amount')) },
    done: `Clock: +${form.get('amount')} ${form.get('unit')}`,
  }),
  inject: (form) => ({ path: '/faults', body: faultOf(form), done: 'The fault waits for its request' }),
  deliveryFault: (form) => ({
    path: '/deliveries/faults',
    body: { kind: form.get('kind'), times: Number(form.get('times')), ...given(form, 'eventName') },
    done: 'The fault waits for its delivery',
  }),
  quota: (form) => ({
    method: 'PUT',
    path: '/quota',
    body: { limit: Number(form.get('limit')), perMs: Number(form.get('seconds')) * 1000 },
    done: 'The limit holds from now on',
  }),
  refresh: (form) => ({ path: '/centres/weekly-refresh', body: planOf(form), done: 'Directory refreshed' }),
  webhook: (form) => ({ path: '/webhooks', body: { url: form.get('url') }, done: 'Webhook added' }),
  trigger: (form) => ({
    path: '/trigger',
    body: { eventName: form.get('eventName'), ...given(form, 'entityUuid') },
    done: 'Event sent',
  }),
}

/**
 * Does what a form asks.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<string>} what to say about it
 */
export async function submitForm(form) {
  const command = FORMS[form.dataset['form'] ?? '']?.(new FormData(form))
  if (command === undefined) return ''
  await send(command.method ?? 'POST', command.path, command.body)
  return command.done
}

/**
 * Does what a button asks.
 *
 * @param {HTMLElement} button
 * @returns {Promise<string>} what to say about it; '' when it was not done after all
 */
export async function pressButton(button) {
  const { method = 'POST', path = '', body, confirm, done = '', go } = button.dataset
  if (confirm !== undefined && !(await ask(confirm, button.textContent ?? ''))) return ''
  const answer = await send(method, path, body)
  if (go !== undefined) location.hash = go.replace('{uuid}', encodeURIComponent(answer.uuid))
  return done
}

/**
 * What can be done to snapshots, which this tab keeps.
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
    await send('POST', '/restore', chosen(state, control).text)
    return 'The fake is back at the snapshot'
  },
  save: async (state, control) => {
    const { name, text } = chosen(state, control)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = `pathology-fake ${name.slice(0, 19).replaceAll(':', '')}.json`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
    return 'Saved; pathology-fake --seed takes the file'
  },
  open: async (_state, control) => {
    const [file] = control instanceof HTMLInputElement ? (control.files ?? []) : []
    if (file === undefined) return ''
    await send('POST', '/restore', await file.text())
    return 'The fake is back at the snapshot'
  },
}

/**
 * @param {State} state
 * @param {HTMLElement} control
 */
function chosen({ snapshots }, control) {
  const snapshot = snapshots[Number(control.dataset['index'])]
  if (snapshot === undefined) throw new Error('that snapshot is gone')
  return snapshot
}

/**
 * A field that is left out when nothing was chosen.
 *
 * @param {FormData} form
 * @param {string} name
 */
function given(form, name) {
  const value = String(form.get(name) ?? '').trim()
  return value === '' ? {} : { [name]: value }
}
