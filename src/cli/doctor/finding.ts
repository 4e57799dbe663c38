/** Result of one check of the environment. The result never contains a secret, a token or a value of a record. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  /** Result as a sentence. */
  readonly message: string
  /** Next step; only for warnings and failures. */
  readonly fix?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'warning',
  message,
  fix,
})

export const failure = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'failure',
  message,
  fix,
})

export const skipped = (check: string, message: string): Finding => ({ check, status: 'skipped', message })
