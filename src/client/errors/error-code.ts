import type { OpenEnum } from '../../contract/enums.js'
import type { KnownErrorCode, KnownTokenErrorCode } from '../../contract/error-codes.js'

/** Cause of a failed connection. */
export type ConnectionReason =
  | 'dns'
  | 'refused'
  | 'connect-timeout'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'proxy'
  | 'queue-full'
  | 'closed'
  | 'other'

/** Problem with a response. */
export type InvalidResponseReason =
  | 'truncated'
  | 'not-json'
  | 'empty'
  | 'shape'
  | 'error-envelope'
  | 'too-large'
  | 'encoding'
  | 'redirect'
  | 'cursor-loop'
  | 'incomplete-list'
  | 'not-pdf'
  | 'no-document'
  | 'unsafe-url'

type ConstantCase<Words extends string> = Words extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${ConstantCase<Tail>}`
  : Uppercase<Words>

/** Code of an error. Editors complete the known codes; other strings are accepted. */
export type PathologyErrorCode = OpenEnum<
  | KnownErrorCode
  | KnownTokenErrorCode
  | `CONNECTION_${ConstantCase<ConnectionReason>}`
  | `RESPONSE_${ConstantCase<InvalidResponseReason>}`
  | 'TIMEOUT'
  | 'ORDER_KEY_IN_USE'
  | 'ORDER_LEDGER_FAILED'
  | 'ORDER_OUTCOME_UNKNOWN'
  | 'REFERRAL_FAILED'
  | 'MODULE_LOAD_FAILED'
>
