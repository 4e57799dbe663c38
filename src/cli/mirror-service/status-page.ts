import { randomBytes } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --bad: #c62828; --good: #2e7d32 }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --good: #81c784 } }
* { box-sizing: border-box }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem }
h1 { font-size: 1.3rem; margin: 0 0 .25rem }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem }
.numbers { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); margin: 1rem 0; padding: 0 }
.numbers div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem }
dt { font-size: .85rem; opacity: .75 }
dd { font-size: 1.5rem; font-variant-numeric: tabular-nums; margin: 0 }
.bad { color: var(--bad) } .good { color: var(--good) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; text-align: left; white-space: nowrap }
th { font-size: .85rem; font-weight: 600 }
code { font-size: .85em }
p { margin: .25rem 0 }`

const SCRIPT = `
const at = (id) => document.getElementById(id)
const when = (text) => text ? new Date(text).toLocaleString() : 'never'
const cell = (row, text, code) => {
  const td = row.insertCell()
  const inner = code ? td.appendChild(document.createElement('code')) : td
  inner.textContent = String(text ?? '')
}
const number = (id, text, bad) => { at(id).textContent = text; at(id).className = bad ? 'bad' : '' }
const fill = (id, rows, cells) => {
  const body = at(id)
  body.replaceChildren()
  for (const row of rows) { const tr = body.insertRow(); for (const text of cells(row)) cell(tr, text) }
  if (rows.length === 0) cell(body.insertRow(), 'none yet')
}
const span = (ms) => ms < 1000 ? ms + ' ms' : ms < 120000 ? (ms / 1000).toFixed(1) + ' s' : Math.round(ms / 60000) + ' min'
async function show() {
  try {
    const response = await fetch('status.json', { signal: AbortSignal.timeout(5000) })
    if (!response.ok) throw new Error(String(response.status))
    const s = await response.json()
    number('lag', span(s.lagMs), s.lagMs > 60000)
    number('backlog', s.backlog)
    number('dead', s.dead, s.dead > 0)
    number('recovered', s.recovered24h, s.recovered24h > 0)
    number('referrals', s.referrals.toLocaleString())
    number('results', s.results.toLocaleString())
    at('event').textContent = 'Last event: ' + when(s.lastEventAt)
    at('open').textContent = 'Oldest open referral: ' + (s.oldestOpen ? s.oldestOpen.uuid + ', ' + (s.oldestOpen.status ?? '') + ', since ' + when(s.oldestOpen.createdAt) : 'none')
    fill('sweeps', s.sweeps, (x) => [x.name, x.organisation, x.state, when(x.finishedAt), x.nextAt ? when(x.nextAt) : '', x.requests, x.read, x.new, x.changed, x.recovered])
    fill('consumers', s.consumers, (x) => [x.name, x.organisation, x.backlog, x.dead])
    fill('changes', s.changes, (x) => [when(x.changedAt), x.kind, x.action, (x.status.before ?? '–') + ' → ' + (x.status.after ?? '–'), x.recovered ? 'sweep, no event received' : x.source, x.uuid])
    const problems = s.service.filter((x) => x.failingSince).map((x) => x.organisation + ': ' + x.state)
    if (s.dead > 0) problems.push(s.dead + ' pieces of work failed too often: run npx pathology mirror dead')
    if (s.lagMs > 60000) problems.push('Due work has waited for ' + span(s.lagMs))
    at('state').textContent = problems.join('. ') || 'No failed or late work at ' + new Date().toLocaleTimeString()
    at('state').className = problems.length > 0 ? 'bad' : 'good'
  } catch {
    at('state').textContent = 'The service or its database does not respond. The numbers are not current.'
    at('state').className = 'bad'
  }
  setTimeout(show, 2000)
}
show()`

const BODY = `
<h1>Pathology mirror</h1>
<p id="state" role="status">Loading</p>
<dl class="numbers">
<div><dt>Lag</dt><dd id="lag"></dd></div>
<div><dt>Backlog</dt><dd id="backlog"></dd></div>
<div><dt>Dead</dt><dd id="dead"></dd></div>
<div><dt>Recovered in 24 h</dt><dd id="recovered"></dd></div>
<div><dt>Referrals</dt><dd id="referrals"></dd></div>
<div><dt>Results</dt><dd id="results"></dd></div>
</dl>
<p id="event"></p>
<p id="open"></p>
<h2>Backfill and sweeps</h2>
<div class="scroll"><table><thead><tr><th>Name</th><th>Organisation</th><th>State</th><th>Finished</th><th>Next</th><th>Requests</th><th>Read</th><th>New</th><th>Changed</th><th>Recovered</th></tr></thead><tbody id="sweeps"></tbody></table></div>
<h2>Consumers</h2>
<div class="scroll"><table><thead><tr><th>Name</th><th>Organisation</th><th>Backlog</th><th>Dead</th></tr></thead><tbody id="consumers"></tbody></table></div>
<h2>Last changes</h2>
<div class="scroll"><table><thead><tr><th>Time</th><th>Kind</th><th>Action</th><th>Status</th><th>Found by</th><th>UUID</th></tr></thead><tbody id="changes"></tbody></table></div>`

/** Returns the status page, and a content security policy that permits only its own script and style. */
export function statusPage(): { readonly html: string; readonly policy: string } {
  const nonce = randomBytes(16).toString('base64')
  return {
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pathology mirror</title><link rel="icon" href="data:,"><style nonce="${nonce}">${STYLE}
</style></head><body>${BODY}
<script nonce="${nonce}">${SCRIPT}
</script></body></html>
`,
    policy: `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  }
}
