/** Style of the status page. On a phone, each row of a table is a card. */
export const STYLE = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b1f24; --soft: #5b6570; --line: #dfe3e8;
  --good: #1b7f3b; --busy: #1f5fbf; --warn: #9a5b00; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --page: #111417; --card: #1a1e23; --text: #e8eaed; --soft: #a3adb8; --line: #2d333b;
  --good: #5fd084; --busy: #8ab4f8; --warn: #ffb74d; --bad: #ff8a80 } }
* { box-sizing: border-box }
body { background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem 1rem 3rem }
p { margin: .25rem 0; overflow-wrap: anywhere }
header { --state: var(--busy); background: var(--card); border: 1px solid var(--line); border-left: .5rem solid var(--state); border-radius: .6rem; padding: 1rem 1.25rem }
header.healthy { --state: var(--good) } header.late { --state: var(--warn) }
header.rejected, header.outage, header.failed, header.silent { --state: var(--bad) }
h1 { font-weight: 400; margin: 0 } h1, .seen { color: var(--soft); font-size: .85rem }
#word { color: var(--state); font-size: 2.25rem; font-weight: 700; line-height: 1.15; margin: 0; text-transform: capitalize }
h2 { font-size: 1rem; margin: 1.75rem 0 .5rem }
ol { display: grid; gap: .75rem; list-style: none; margin: .75rem 0; padding: 0 }
ol li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .75rem 1.25rem }
ol strong { display: block; font-weight: 600; overflow-wrap: anywhere } ol span { color: var(--soft); overflow-wrap: anywhere }
ol span::before { color: var(--text); content: "What to do: "; font-weight: 600 }
.numbers { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); margin: 1rem 0; padding: 0 }
.numbers div { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .9rem }
dt { color: var(--soft); font-size: .85rem }
dd { font-size: 1.5rem; font-variant-numeric: tabular-nums; margin: 0 }
.bad { color: var(--bad) } .good { color: var(--good) }
table { background: var(--card); border: 1px solid var(--line); border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .75rem; text-align: left; vertical-align: top }
tr:last-child td { border-bottom: 0 } td { overflow-wrap: break-word } th { color: var(--soft); font-size: .85rem; font-weight: 600 }
@media (max-width: 48rem) {
  thead { display: none } table, tbody, tr, td { display: block }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0 } tr:last-child { border-bottom: 0 }
  td { border: 0; display: grid; overflow-wrap: anywhere; gap: .75rem; grid-template-columns: 7.5rem minmax(0, 1fr); padding: .15rem .75rem }
  td[data-label]::before { color: var(--soft); content: attr(data-label) } td:not([data-label]) { display: block }
}`

/** Script of the status page. It reads `status.json` every two seconds. */
export const SCRIPT = `
const at = (id) => document.getElementById(id)
const two = (n) => String(n).padStart(2, '0')
const iso = (text) => {
  if (!text) return ''
  const t = new Date(text), zone = -t.getTimezoneOffset(), a = Math.abs(zone)
  const date = [t.getFullYear(), two(t.getMonth() + 1), two(t.getDate())].join('-')
  const time = [two(t.getHours()), two(t.getMinutes()), two(t.getSeconds())].join(':')
  return date + 'T' + time + (zone === 0 ? 'Z' : (zone < 0 ? '-' : '+') + two(Math.floor(a / 60)) + ':' + two(a % 60))
}
const span = (ms) => ms < 1000 ? ms + ' ms' : ms < 120000 ? (ms / 1000).toFixed(1) + ' s' : ms < 7200000 ? Math.round(ms / 60000) + ' min' : Math.round(ms / 3600000) + ' h'
const number = (id, text, bad) => { at(id).textContent = text; at(id).className = bad ? 'bad' : '' }
const fill = (id, rows, cells) => {
  const body = at(id)
  const heads = [...body.parentNode.tHead.rows[0].cells].map((head) => head.textContent)
  body.replaceChildren()
  for (const row of rows) {
    const tr = body.insertRow()
    cells(row).forEach((text, n) => {
      const td = tr.insertCell()
      td.dataset.label = heads[n]
      td.appendChild(document.createElement('span')).textContent = String(text ?? '') || '–'
    })
  }
  if (rows.length > 0) return
  const none = body.insertRow().insertCell()
  none.colSpan = heads.length
  none.textContent = 'none'
}
const times = (text) => text.replace(/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z/g, iso)
const problem = ({ what, todo }) => {
  const li = document.createElement('li')
  li.appendChild(document.createElement('strong')).textContent = times(what)
  li.appendChild(document.createElement('span')).textContent = todo
  return li
}
const WORDS = { healthy: 'No failed or late work', copying: 'The first backfill reads all records into the copy', late: 'Work waits longer than a minute', failed: 'Some work needs you', outage: 'The service does not answer, so the copy is not updated', rejected: 'The service rejects the credentials, so the copy is not updated' }
const headline = (state, text) => { at('top').className = state; at('word').textContent = state; at('state').textContent = text; document.title = state + ' – Pathology mirror' }
async function show() {
  try {
    const response = await fetch('status.json', { signal: AbortSignal.timeout(5000) })
    if (!response.ok) throw new Error(String(response.status))
    const s = await response.json()
    headline(s.state, WORDS[s.state])
    at('problems').replaceChildren(...s.problems.map(problem))
    number('lag', span(s.lagMs), s.lagMs > 60000)
    number('backlog', s.backlog)
    number('retrying', s.retrying)
    number('dead', s.dead, s.dead > 0)
    number('recovered', s.recovered24h, s.recovered24h > 0)
    number('referrals', s.referrals.toLocaleString())
    number('results', s.results.toLocaleString())
    at('waiting').textContent = 'Oldest waiting event: ' + (s.oldestWaiting ? s.oldestWaiting.kind + ' of ' + s.oldestWaiting.organisation + ', received ' + iso(s.oldestWaiting.since) : 'none')
    at('event').textContent = 'Last event: ' + (iso(s.lastEventAt) || 'never')
    at('open').textContent = 'Oldest open referral: ' + (s.oldestOpen ? s.oldestOpen.uuid + ', ' + (s.oldestOpen.status ?? '') + ', since ' + iso(s.oldestOpen.createdAt) : 'none')
    fill('service', s.service, (x) => [x.organisation, x.state, iso(x.reachedAt) || 'never', iso(x.failingSince), x.error, iso(x.nextTryAt)])
    fill('retries', s.retries, (x) => [x.kind, x.organisation, x.count, x.error, iso(x.nextAt)])
    fill('sweeps', s.sweeps, (x) => [x.name, x.organisation, x.state, x.read, x.new, x.changed, x.recovered, iso(x.finishedAt), iso(x.nextAt)])
    fill('consumers', s.consumers, (x) => [x.name, x.organisation, x.backlog, x.dead])
    fill('changes', s.changes, (x) => [iso(x.changedAt), x.kind, x.action, (x.status.before ?? '–') + ' → ' + (x.status.after ?? '–'), x.recovered ? 'sweep, no event received' : x.source, x.uuid])
    at('now').textContent = iso(new Date())
  } catch {
    headline('silent', 'The mirror or its database does not respond. The numbers are not current')
    at('problems').replaceChildren(problem({ what: 'No status could be read', todo: 'Check that mirror serve runs, and that its database responds' }))
  }
  setTimeout(show, 2000)
}
show()`
