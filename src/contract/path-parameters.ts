/** A UUID of any version, in either case. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The pattern of each path parameter, and the rule for error messages. */
export const PATH_PARAMETERS = {
  uuid: { pattern: UUID_PATTERN, rule: 'must be a UUID' },
  id: { pattern: /^[A-Za-z0-9_-]{1,128}$/, rule: 'must be the id of a webhook' },
  providerNumber: {
    pattern: /^[0-9A-Za-z]{8}$/,
    rule: 'must be an eight-character Medicare provider number',
  },
} as const satisfies Record<string, { readonly pattern: RegExp; readonly rule: string }>

export type PathParameter = keyof typeof PATH_PARAMETERS

/** The parameters of a path template. */
export type PathParametersOf<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}`
    ? Extract<Name, PathParameter> | PathParametersOf<Rest>
    : never
