/** Result of one check of the environment. The result never contains a secret, a token or a value of a record. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  /** Result as a sentence. */
  readonly message: string
  /** Next step; only for warnings and failures. */
  readonly fix?: string
}

type Say = (check: string, message: string) => Finding
type SayFix = (check: string, message: string, fix: string) => Finding

export const ok: Say = (check, message) => ({ check, status: 'ok', message })
export const skipped: Say = (check, message) => ({ check, status: 'skipped', message })
export const warning: SayFix = (check, message, fix) => ({ check, status: 'warning', message, fix })
export const failure: SayFix = (check, message, fix) => ({ check, status: 'failure', message, fix })
