import type { OrderProblem } from 'pathology-sdk/forms'

/** Shows each problem after its field, and a problem without a field at the end of the form. */
export function showProblems(form: HTMLFormElement, problems: readonly OrderProblem[]): void {
  for (const old of form.querySelectorAll('output')) old.remove()
  for (const { path, message } of problems) {
    const name = path.filter((step) => typeof step === 'string').join('.')
    const field = form.querySelector(`[name="${name}"]`)
    const output = document.createElement('output')
    output.textContent = message
    const place = field?.closest('fieldset') ?? field?.closest('label') ?? form
    place.append(output)
    field?.setAttribute('aria-invalid', 'true')
  }
}
