// A form that names its problems beside their fields, before anything leaves the browser.
import { orderFromForm, orderSchema } from 'pathology-sdk/forms'
import { showProblems } from './problems.js'

const schema = orderSchema.with({ plausible: true })

document.querySelector('form')?.addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  const { issues = [] } = schema['~standard'].validate(orderFromForm(new FormData(form)))
  showProblems(form, issues)
  // Your back end checks the order again: client.referrals.create() does so by itself.
  if (issues.length === 0) document.title = 'Ready to send'
})
