import type { AdditionalRange, BiomarkerCategory } from '../../contract/types.js'
import type { BiomarkerRecord, OtherUnit } from '../state/catalogue.js'
import { CATEGORY_TABLE, NUMERIC_TABLE_ONE, NUMERIC_TABLE_TWO, TEXT_TABLE } from './biomarker-tables.js'
import { cellOf, numberCell, optionalCell, readTable } from './tables.js'

type RangeRow = readonly [id: string, name: string, low: number | null, high: number | null]

const femaleHormone = (follicular: RangeRow, midCycle: RangeRow, luteal: RangeRow, menopause: RangeRow) =>
  toRanges('female-hormone', [follicular, midCycle, luteal, menopause])

const phases = (
  follicular: readonly [number | null, number | null],
  midCycle: readonly [number | null, number | null],
  luteal: readonly [number | null, number | null],
  menopause: readonly [number | null, number | null],
) =>
  femaleHormone(
    ['follicular', 'Follicular phase', ...follicular],
    ['mid-cycle', 'Mid-cycle', ...midCycle],
    ['luteal', 'Luteal phase', ...luteal],
    ['postmenopausal', 'After menopause', ...menopause],
  )

const bySex = (male: readonly [number, number], female: readonly [number, number]) =>
  toRanges('sex', [
    ['male', 'Men', ...male],
    ['female', 'Women', ...female],
  ])

const highRisk = (high: number) =>
  toRanges('lipid-risk-target', [['high-risk', 'Target at high risk', null, high]])

/** Additional ranges (§2.6): ranges of hormones by cycle phase, age or sex, and target ranges of lipids. */
const ADDITIONAL_RANGES: ReadonlyMap<string, readonly AdditionalRange[]> = new Map([
  ['oestradiol', phases([70, 600], [300, 1_800], [130, 1_000], [null, 120])],
  ['progesterone', phases([null, 3], [null, 6], [16, 85], [null, 2])],
  ['lh', phases([2, 12], [10, 80], [1, 15], [15, 60])],
  ['fsh', phases([3, 11], [5, 21], [1, 8], [25, 135])],
  [
    'amh',
    toRanges('female-hormone', [
      ['age-20-29', '20 to 29 years', 10, 70],
      ['age-30-39', '30 to 39 years', 5, 50],
      ['age-40-and-over', '40 years and over', null, 25],
    ]),
  ],
  ['testosterone', bySex([8, 30], [0.3, 2])],
  ['free-testosterone', bySex([200, 600], [3, 30])],
  ['free-androgen-index', bySex([20, 90], [0.3, 8])],
  ['total-cholesterol', highRisk(4)],
  ['ldl-cholesterol', highRisk(1.8)],
  ['non-hdl-cholesterol', highRisk(2.5)],
  ['apolipoprotein-b', highRisk(0.8)],
])

function toRanges(category: string, rows: readonly RangeRow[]): AdditionalRange[] {
  return rows.map(([id, name, lowRange, highRange]) => ({ id, name, category, lowRange, highRange }))
}

/** Returns the biomarker catalogue (§2.8). */
export function seedBiomarkers(): BiomarkerRecord[] {
  const categories = readCategories()
  return [
    ...readSections(NUMERIC_TABLE_ONE, categories, toNumeric),
    ...readSections(NUMERIC_TABLE_TWO, categories, toNumeric),
    ...readSections(TEXT_TABLE, categories, toText),
  ]
}

function readCategories(): ReadonlyMap<string, BiomarkerCategory> {
  const categories = readTable(CATEGORY_TABLE).map((row) => ({
    id: cellOf(row, 0),
    name: cellOf(row, 1),
    description: cellOf(row, 2),
    object: 'biomarker-category' as const,
  }))
  return new Map(categories.map((category) => [category.id, category]))
}

type RowReader = (row: readonly string[], category: BiomarkerCategory) => BiomarkerRecord

function readSections(
  table: string,
  categories: ReadonlyMap<string, BiomarkerCategory>,
  read: RowReader,
): BiomarkerRecord[] {
  let category: BiomarkerCategory | undefined
  const records: BiomarkerRecord[] = []
  for (const row of readTable(table)) {
    const heading = /^# (.+)$/.exec(cellOf(row, 0))?.[1]
    if (heading !== undefined) {
      category = categories.get(heading)
    } else {
      if (category === undefined) throw new RangeError(`no category for ${row.join(' | ')}`)
      records.push(read(row, category))
    }
  }
  return records
}

function toNumeric(row: readonly string[], category: BiomarkerCategory): BiomarkerRecord {
  const id = cellOf(row, 0)
  const unit = optionalCell(row, 4) ?? null
  return {
    id,
    name: cellOf(row, 1),
    commonName: cellOf(row, 2),
    description: cellOf(row, 10),
    category,
    valueType: 'numeric',
    sampleType: cellOf(row, 3),
    unit,
    mostCommonUnit: optionalCell(row, 5) ?? unit,
    standardStatus: unit === null ? 'no-unit' : 'standard',
    refIntervalLow: limit(row, 6),
    refIntervalHigh: limit(row, 7),
    decimals: numberCell(row, 8),
    additionalRanges: ADDITIONAL_RANGES.get(id) ?? [],
    texts: [],
    otherUnit: otherUnit(optionalCell(row, 9)),
  }
}

function toText(row: readonly string[], category: BiomarkerCategory): BiomarkerRecord {
  return {
    id: cellOf(row, 0),
    name: cellOf(row, 1),
    commonName: cellOf(row, 2),
    description: cellOf(row, 5),
    category,
    valueType: 'text',
    sampleType: cellOf(row, 3),
    unit: null,
    mostCommonUnit: null,
    standardStatus: 'no-unit',
    refIntervalLow: null,
    refIntervalHigh: null,
    decimals: 0,
    additionalRanges: [],
    texts: cellOf(row, 4).split('; '),
    otherUnit: null,
  }
}

function limit(row: readonly string[], column: number): number | null {
  return optionalCell(row, column) === undefined ? null : numberCell(row, column)
}

function otherUnit(cell: string | undefined): OtherUnit | null {
  const [, unit, factor] = /^(.+) x ([\d.]+)$/.exec(cell ?? '') ?? []
  return unit === undefined ? null : { unit, toCanonical: Number(factor) }
}

/**
 * Limits of critical values by biomarker id, in canonical units. They are for software tests, and are not a clinical
 * reference.
 */
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

/** Biomarkers with text values that are never abnormal. */
export const NEUTRAL_TEXTS: ReadonlySet<string> = new Set(['blood-group', 'rh-d'])

export function isCritical(biomarkerId: string, value: number): boolean {
  const limits = Object.hasOwn(CRITICAL_LIMITS, biomarkerId) ? CRITICAL_LIMITS[biomarkerId] : undefined
  if (limits === undefined) return false
  return (
    value < (limits.below ?? Number.NEGATIVE_INFINITY) || value > (limits.above ?? Number.POSITIVE_INFINITY)
  )
}

/** Unit of cell counts, such as `10^9/L` or `x10^9/L`. The rare spelling of this unit is `x 10*9/L`. */
const CELL_COUNT = /^x?10\^(\d+)\/L$/

/** Returns the different spellings of a unit: the canonical, the most common and, for some units, a rare spelling. */
export function spellingsOf(unit: string, mostCommon: string | null): string[] {
  return [...new Set([unit, mostCommon ?? unit, unit.replace(CELL_COUNT, 'x 10*$1/L')])]
}
