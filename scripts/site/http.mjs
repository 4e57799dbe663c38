// Pages of the HTTP interface, one for each resource, from openapi.json: each operation as a call of the client, as curl, and with
// the bodies of the OpenAPI document's examples.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ value: unknown }} Example
 * @typedef {{ example?: unknown, examples?: Record<string, Example> }} Media
 * @typedef {{ description: string, content?: Record<string, Media> }} Response
 * @typedef {{ name: string, in: string, required?: boolean, description?: string, schema: { type?: string, enum?: string[] } }} Parameter
 * @typedef {{ operationId: string, tags: string[], summary: string, description?: string, parameters?: Parameter[],
 *   requestBody?: { content: Record<string, Media> }, responses: Record<string, Response> }} Operation
 * @typedef {{ method: string, path: string, parameters: Parameter[], operation: Operation }} Row
 * @typedef {{ tags: { name: string, description: string }[], info: { description: string },
 *   paths: Record<string, Record<string, Operation> & { parameters?: Parameter[] }>, components: Record<string, Record<string, unknown>> }} OpenApi
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const JSON_1_1 = 'application/vnd.svc.v1.1.0+json'

/** Values of the parameters in the examples. A parameter that is missing is left out of them. */
const VALUES = new Map(
  Object.entries({
    uuid: '4b0e8f1c-5d2a-4c63-9a57-0b8f6e2d1c34',
    id: 'wh_1',
    providerNumber: '2426577T',
    sort: 'desc',
    include: ['biomarkers'],
    states: ['WA'],
    search: 'fremantle',
  }),
)

/** @param {{ operationId: string }} operation */
const anchorOf = ({ operationId }) => operationId.replace('.', '-').toLowerCase()

/** @param {unknown} value */
const json = (value) => JSON.stringify(value, null, 2)

/** A value as TypeScript writes it, in lines of at most 100 characters. @param {unknown} value @returns {string} */
function literal(value, indent = '') {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inside = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((entry) => literal(entry, inside))
    : Object.entries(value).map(([name, entry]) => `${name}: ${literal(entry, inside)}`)
  const padding = Array.isArray(value) ? '' : ' '
  const line = `${open}${padding}${parts.join(', ')}${padding}${close}`
  return line.length + indent.length <= 80 && !line.includes('\n')
    ? line
    : `${open}\n${parts.map((part) => `${inside}${part},\n`).join('')}${indent}${close}`
}

/** @param {Row} row */
function exampleOf({ parameters, operation: { requestBody } }) {
  const given = parameters.filter(({ name }) => VALUES.has(name))
  const valuesIn = (/** @type {string} */ place) =>
    Object.fromEntries(given.filter((each) => each.in === place).map(({ name }) => [name, VALUES.get(name)]))
  return {
    path: valuesIn('path'),
    query: valuesIn('query'),
    body: requestBody?.content['application/json']?.example,
  }
}

/** The same request with curl. @param {Row} row */
function curl(row) {
  const { path, query, body } = exampleOf(row)
  const filled = row.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(path[name]))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  const isToken = row.operation.operationId === 'tokens.issue'
  const url = `${isToken ? '$PATHOLOGY_AUTH_URL' : '$PATHOLOGY_BASE_URL'}${filled}${search.size === 0 ? '' : `?${search}`}`
  const lines = [`curl ${row.method === 'GET' ? '' : `-X ${row.method} `}"${url}"`]
  if (isToken)
    lines.push('-u "$PATHOLOGY_CLIENT_ID:$PATHOLOGY_CLIENT_SECRET"', '-d grant_type=client_credentials')
  else lines.push('-H "Authorization: Bearer $TOKEN"', `-H "Accept: ${JSON_1_1}"`)
  if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d '${json(body).replaceAll("'", "'\\''")}'`)
  return lines.join(' \\\n  ')
}

/** The same request with the client. @param {Row} row */
function typeScript(row) {
  const { operationId } = row.operation
  const { path, query, body } = exampleOf(row)
  const isList = operationId.endsWith('.list')
  const values = [...Object.values(path), ...[body, Object.keys(query).length === 0 ? undefined : query]]
  const given = values.filter((value) => value !== undefined).map((value) => literal(value))
  const call = `client.${operationId}(${given.join(', ')})`
  return isList ? `for await (const each of ${call}) console.log(each)` : `console.log(await ${call})`
}

/** @param {Parameter[]} parameters */
function parameterTable(parameters) {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => {
    const values =
      schema.enum === undefined ? '' : ` One of ${schema.enum.map((value) => `\`${value}\``).join(', ')}.`
    return `| \`${name}\` | ${place}${required === true ? ', required' : ''} | ${description}${values} |`
  })
  return `| Parameter | In | Meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

/** @param {OpenApi} api @param {Row} row @param {string | undefined} reference */
function section(api, row, reference) {
  const { method, path, operation, parameters } = row
  const { operationId, summary, description, responses } = operation
  const isToken = operationId === 'tokens.issue'
  const about = isToken
    ? 'The client gets and renews tokens by itself.'
    : `In the client: [\`client.${operationId}\`](${reference}#${operationId.split('.')[1]?.toLowerCase()}).`
  const code = isToken
    ? `\`\`\`bash\n${curl(row)}\n\`\`\``
    : `::: code-group\n\n\`\`\`ts [TypeScript]\n${typeScript(row)}\n\`\`\`\n\n\`\`\`bash [cURL]\n${curl(row)}\n\`\`\`\n\n:::`
  const [name = ''] = Object.keys(Object.values(responses['200']?.content ?? {})[0]?.examples ?? {})
  const found = /** @type {Example | undefined} */ (api.components['examples']?.[name])
  const errors = Object.entries(responses).flatMap(([status, response]) => {
    const own =
      '$ref' in response
        ? api.components['responses']?.[String(response.$ref).split('/').at(-1) ?? '']
        : response
    const { description: text } = /** @type {Response} */ (own)
    return status === '200' ? [] : [`| ${status === 'default' ? 'Others' : status} | ${text} |`]
  })
  return [
    `## ${summary} {#${anchorOf(operation)}}`,
    `\`${method} ${path}\``,
    ...[description, about].filter((text) => text !== undefined),
    parameterTable(parameters).trim(),
    code,
    ...(found === undefined ? [] : [`Response:\n\n\`\`\`json\n${json(found.value)}\n\`\`\``]),
    ...(errors.length === 0 ? [] : [`| Status | Error |\n|---|---|\n${errors.join('\n')}`]),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** Operations in the order of the document. @param {OpenApi} api @returns {Row[]} */
const rowsOf = (api) =>
  Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      return [{ method: method.toUpperCase(), path, parameters, operation }]
    }),
  )

/**
 * Returns the pages of the HTTP interface, by path.
 *
 * @param {ReadonlyMap<string, string>} resources pages of the client's resources, by names such as `client.referrals`
 */
export function httpPages(resources) {
  /** @type {OpenApi} */
  const api = JSON.parse(readFileSync(fileURLToPath(new URL('../../openapi.json', import.meta.url)), 'utf8'))
  const all = rowsOf(api)
  const pages = api.tags.flatMap(({ name, description }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name))
    if (own.length === 0) return []
    const reference = resources.get(`client.${name}`)?.replace('docs/reference', '..')
    const sections = own.map((row) => section(api, row, reference))
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`
    const text = `# ${title}\n\n${description}\n\n${sections.join('\n\n')}\n`
    return [{ name, own, text }]
  })
  const rows = pages.flatMap(({ name, own }) =>
    own.map(
      ({ method, path, operation }) =>
        `| \`${method}\` | [\`${path}\`](${name}.md#${anchorOf(operation)}) | ${operation.summary} |`,
    ),
  )
  const index = `# HTTP interface\n\n${api.info.description}\n\n[The OpenAPI document](/openapi.json) is in the package too, as \`pathology-sdk/openapi.json\`.\n\n| Method | Path | Summary |\n|---|---|---|\n${rows.join('\n')}\n`
  return [
    /** @type {const} */ (['docs/reference/http/index.md', index]),
    ...pages.map(({ name, text }) => /** @type {const} */ ([`docs/reference/http/${name}.md`, text])),
  ]
}
