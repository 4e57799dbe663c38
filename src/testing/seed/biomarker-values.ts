/** Beyond these a value is critical: biomarker ids with canonical limits; made for tests of software. */
export const CRITICAL_LIMITS: Readonly<Record<string, { readonly below?: number; readonly above?: number }>> =
  {
    potassium: { below: 2.5, above: 6.5 },
    sodium: { below: 120, above: 160 },
    'fasting-glucose': { below: 2.5, above: 25 },
    calcium: { below: 1.6, above: 3.2 },
    haemoglobin: { below: 70, above: 220 },
    platelets: { below: 20, above: 1_000 },
    'white-cell-count': { below: 1, above: 50 },
    creatinine: { above: 500 },
    'troponin-i': { above: 100 },
    inr: { above: 5 },
  }

/** Text-valued biomarkers of which no value is better than another. */
export const NEUTRAL_TEXTS: ReadonlySet<string> = new Set(['blood-group', 'rh-d'])

/** Whether a canonical value is critical. */
export function isCritical(biomarkerId: string, value: number): boolean {
  const limits = Object.hasOwn(CRITICAL_LIMITS, biomarkerId) ? CRITICAL_LIMITS[biomarkerId] : undefined
  if (limits === undefined) return false
  return (
    value < (limits.below ?? Number.NEGATIVE_INFINITY) || value > (limits.above ?? Number.POSITIVE_INFINITY)
  )
}

const SPELLINGS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^x?10\^(\d+)\/L$/, 'x 10*$1/L'],
  [/^[uµ]/, 'u'],
]

/** How laboratories spell one unit: the canonical spelling, the most common one, and one seen now and then. */
export function spellingsOf(unit: string, mostCommon: string | null): string[] {
  const rare = SPELLINGS.filter(([pattern]) => pattern.test(unit)).map(([pattern, replacement]) =>
    unit.replace(pattern, replacement),
  )
  return [...new Set([unit, mostCommon ?? unit, ...rare])]
}
