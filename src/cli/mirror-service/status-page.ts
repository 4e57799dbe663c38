import { randomBytes } from 'node:crypto'
import { SCRIPT, STYLE } from './status-page-parts.js'

const table = (id: string, columns: readonly string[]): string =>
  `<table><thead><tr>${columns.map((name) => `<th>${name}</th>`).join('')}</tr></thead><tbody id="${id}"></tbody></table>`

const number = (id: string, name: string): string => `<div><dt>${name}</dt><dd id="${id}">–</dd></div>`

const BODY = `
<header id="top" class="copying"><h1>Pathology mirror</h1><div role="status"><p id="word">Loading</p>
<p id="state"></p></div><p class="seen">Updated <time id="now"></time></p></header>
<ol id="problems"></ol>
<dl class="numbers">
${number('lag', 'Lag')}
${number('backlog', 'Due work')}
${number('retrying', 'Retried')}
${number('dead', 'Failed for good')}
${number('recovered', 'Recovered in 24 h')}
${number('referrals', 'Referrals')}
${number('results', 'Results')}
</dl>
<h2>Service</h2>
${table('service', ['Organisation', 'State', 'Last reached', 'Failing since', 'Last error', 'Next try'])}
<h2>Waiting</h2>
<p id="waiting"></p>
<p id="event"></p>
<p id="open"></p>
${table('retries', ['Work', 'Organisation', 'Count', 'Last error', 'Next attempt'])}
<h2>Backfill and sweeps</h2>
${table('sweeps', ['Name', 'Organisation', 'State', 'Read', 'New', 'Changed', 'Recovered', 'Finished', 'Next'])}
<h2>Consumers</h2>
${table('consumers', ['Name', 'Organisation', 'Backlog', 'Failed for good'])}
<h2>Last changes</h2>
${table('changes', ['Time', 'Kind', 'Action', 'Status', 'Found by', 'UUID'])}`

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
