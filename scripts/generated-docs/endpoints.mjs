import { TOKEN_PATH } from '../../src/contract/endpoint.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES, TOKEN_ERROR_CODES } from '../../src/contract/error-codes.js'

/** @typedef {import('../../src/contract/endpoint.js').Endpoint} Endpoint */

const RETRY_WORDS = /** @type {const} */ ({ safe: 'read', repeatable: 'repeatable', once: 'once' })

/** Returns the page with the table of endpoints, from the rows that the client and the fake use. */
export function endpointsPage() {
  return `# Endpoints

<!-- \`npm run docs:generate\` writes this page. -->

Every endpoint of the service, with the client's method for it, and every documented error code.

| Method of \`client\` | Request | Query or body | Response | Retry class | Notes |
|---|---|---|---|---|---|
${ENDPOINTS.map(endpointRow).join('\n')}

Tokens come from \`POST {authUrl}${TOKEN_PATH}\`. The retry class decides after which failures the client [retries](retries.md#retry-table);
the OpenAPI document calls \`read\` \`safe\`.

## Error codes

The documented values of \`ApiError.code\`, with the HTTP status where that's documented too. The service may return others.

| Code | Status | Meaning |
|---|---|---|
${Object.entries(ERROR_CODES).map(codeRow).join('\n')}

The token service has codes and types of its own, in \`TokenError.code\` and \`TokenError.type\`. Other failures have codes of this package,
such as \`TIMEOUT\`.

| Code | Type | Meaning |
|---|---|---|
${Object.entries(TOKEN_ERROR_CODES).map(tokenRow).join('\n')}
`
}

/** @param {Endpoint} endpoint */
function endpointRow(endpoint) {
  const { id, method, path, query, body, retry } = endpoint
  const cells = [
    `\`${id}\``,
    `\`${method} ${path}\``,
    query ?? body ?? '',
    responseOf(endpoint),
    RETRY_WORDS[retry],
    notesOf(endpoint),
  ]
  return `| ${cells.join(' | ')} |`
}

/** @param {Endpoint} endpoint */
function responseOf({ response }) {
  if (response.kind === 'one') return response.schema
  const many = response.kind === 'list' ? '[]' : ''
  return `\`${response.key}\`: ${response.schema}${many}`
}

/** @param {Endpoint} endpoint */
function notesOf({ response, stagingOnly, timeoutMs }) {
  const notes = [
    response.kind === 'list' && response.paged ? 'paged' : undefined,
    response.kind === 'list' && !response.documented
      ? 'wrapper of the list not documented, several forms accepted'
      : undefined,
    stagingOnly === true ? 'staging only' : undefined,
    timeoutMs === undefined ? undefined : `default time limit ${timeoutMs / 1_000} s`,
  ]
  return notes.filter((note) => note !== undefined).join('; ')
}

/** @param {[string, { readonly status: number | null, readonly meaning: string }]} row */
function codeRow([code, { status, meaning }]) {
  return `| \`${code}\` | ${status ?? ''} | ${meaning} |`
}

/** @param {[string, { readonly type: string, readonly meaning: string }]} row */
function tokenRow([code, { type, meaning }]) {
  return `| ${code} | \`${type}\` | ${meaning} |`
}
