import { render } from 'preact'
import { closeDialog, say } from './act.js'
import { App } from './app.js'
import { follow, listen } from './control.js'
import { keepFocus, pressKey } from './keys.js'
import { clockOffset, type Overview, overview, route, routeOf, type Shared, shared } from './state.js'

window.addEventListener('hashchange', () => {
  closeDialog()
  route.value = routeOf(location.hash)
})
document.addEventListener('keydown', pressKey)
keepFocus()
render(<App />, document.body)
follow<Overview>('/console/overview', ({ data, failure }) => {
  if (failure !== undefined) say('bad', failure)
  if (data === undefined) return
  const { rejection } = data
  // Says why an attempt of a delivery failed, once for each failed attempt.
  if (rejection !== null && rejection.key !== overview.value.rejection?.key) say('bad', rejection.text)
  overview.value = data
  clockOffset.value = Date.parse(data.now) - Date.now()
})
follow<Shared>('/console/choices', ({ data }) => {
  const isNew = JSON.stringify(data) !== JSON.stringify(shared.value)
  if (data !== undefined && isNew) shared.value = data
})
listen()
