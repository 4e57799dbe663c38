import { render } from 'preact'
import { closeDialog, say } from './actions.js'
import { App } from './app.js'
import { follow, listen } from './control.js'
import { keepFocus, pressKey } from './keys.js'
import { clockOffset, type Overview, overview, route } from './state.js'
import { routeOf } from './views.js'

let lastRejection = rejectionKey(overview.value)

function rejectionKey({ rejection }: Overview): string {
  return rejection === null ? '' : `${rejection.delivery} ${rejection.attempt}`
}

/** Shows why an attempt of a delivery failed, once for each failed attempt. */
function showRejection(next: Overview): void {
  const { rejection } = next
  const key = rejectionKey(next)
  if (rejection === null || key === lastRejection) return
  lastRejection = key
  const { delivery, attempt, eventName, status, failure, isSignatureValid, reason } = rejection
  const signature = isSignatureValid ? 'the signature is valid' : 'the signature is invalid'
  const words = reason === '' ? 'without a reason' : reason.slice(0, 200)
  const what =
    status === null
      ? `the receiver did not respond: ${failure}`
      : `the receiver responded with ${status}, ${words} (${signature})`
  say('bad', `Delivery ${delivery}, ${eventName}${attempt === 1 ? '' : `, attempt ${attempt}`}: ${what}`)
}

route.value = routeOf(location.hash)
window.addEventListener('hashchange', () => {
  closeDialog()
  route.value = routeOf(location.hash)
})
document.addEventListener('keydown', pressKey)
keepFocus()
render(<App />, document.body)
follow<Overview>('/console/overview', {
  read: (next) => {
    overview.value = next
    clockOffset.value = Date.parse(next.now) - Date.now()
    showRejection(next)
  },
  failed: (message) => say('bad', message),
})
listen()
