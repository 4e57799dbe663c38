import { isFields } from './check.js'
import type { IssueDraft, RequestIssue } from './issues.js'
import { toRequestIssues } from './request-issues.js'
import { centreQueryRules, orderRules, priceRules, signatureRules, webhookUpdateRules } from './rules.js'
import { REQUEST_SCHEMAS, type RequestSchemaName } from './schemas/index.js'
import { withUserMessage } from './user-messages.js'
import type { ApiVersion } from './versions.js'

type Fields = Readonly<Record<string, unknown>>
type CrossFieldRules = (request: Fields, version: ApiVersion) => IssueDraft[]

const CROSS_FIELD_RULES: { readonly [Name in RequestSchemaName]?: CrossFieldRules } = {
  Order: orderRules,
  PriceRequest: priceRules,
  CentreQuery: centreQueryRules,
  ProviderSave: signatureRules,
  ProviderUpdate: signatureRules,
  WebhookUpdate: webhookUpdateRules,
}

/**
 * Returns every problem of a request's query or body: first those that the schema finds, then those of other rules,
 * such as the ones for combinations of fields.
 *
 * @param name - The request's schema.
 * @param value - The query or body. The value is never changed.
 * @param version - The API version of the request.
 * @param hidesNames - `true`: a message does not contain the name of an unknown field, unless it looks like a field. The
 * client passes `true`, because the name can be personal data.
 */
export function checkRequest(
  name: RequestSchemaName,
  value: unknown,
  version: ApiVersion,
  hidesNames = false,
): RequestIssue[] {
  const schema = REQUEST_SCHEMAS[name]
  const outcome = schema.safeParse(value)
  const issues = outcome.success ? [] : toRequestIssues(outcome.error.issues, value, schema, hidesNames)
  const rules = CROSS_FIELD_RULES[name]
  const more = rules === undefined || !isFields(value) ? [] : rules(value, version)
  return [...issues, ...more].map(withUserMessage)
}

// §4.1 rule 8
/**
 * Returns the service's error code for a rejected request: the code that all its problems have, otherwise `general`.
 */
export function issueCode(issues: readonly IssueDraft[], general: string): string {
  const [first, ...others] = issues
  return first?.code !== undefined && others.every(({ code }) => code === first.code) ? first.code : general
}
