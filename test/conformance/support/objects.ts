import { RESPONSE_SCHEMAS, type ResponseSchemaName } from '../../../src/contract/schemas/index.js'
import { providerConnectionSchema } from '../../../src/contract/schemas/provider.js'
import { biomarkerSchema } from '../../../src/contract/schemas/result.js'
import { pageCursorSchema, personSchema } from '../../../src/contract/schemas/shared.js'
import type { Kind } from './check.js'

const kind = (name: ResponseSchemaName): Kind => ({ name, schema: RESPONSE_SCHEMAS[name] })

/** The kinds of records, with the schemas and the rules of the table. */
export const referral = kind('Referral')
export const result = kind('Result')
export const catalogueBiomarker = kind('CatalogueBiomarker')
export const test = kind('Test')
export const bundle = kind('Bundle')
export const provider = kind('Provider')
export const vendor = kind('Vendor')
export const centre = kind('CollectionCentre')
export const webhook = kind('Webhook')
export const person: Kind = { schema: personSchema }
export const biomarker: Kind = { schema: biomarkerSchema }
export const connection: Kind = { schema: providerConnectionSchema }
export const cursor: Kind = { schema: pageCursorSchema }
