import { type Fields, isFields } from '../../contract/check.js'
import type { PreparedRecord } from './digest.js'
import type { RecordRead } from './record-kinds.js'
import type { StoreHook } from './store-batch.js'

const COLUMNS = {
  result_uuid: 'text',
  place: 'integer',
  biomarker_id: 'text',
  name: 'text',
  common_name: 'text',
  category_id: 'text',
  sample_type: 'text',
  value_type: 'text',
  value: 'text',
  number: 'double precision',
  unit: 'text',
  ref_low: 'double precision',
  ref_high: 'double precision',
  is_abnormal: 'boolean',
  canonical_status: 'text',
  canonical_number: 'double precision',
  canonical_unit: 'text',
  canonical_ref_low: 'double precision',
  canonical_ref_high: 'double precision',
  canonical_is_abnormal: 'boolean',
} as const

type Column = keyof typeof COLUMNS

const TYPES = Object.entries(COLUMNS)

const DELETE = 'DELETE FROM {schema}.biomarker WHERE organisation = $1 AND result_uuid = ANY($2::text[])'

const INSERT = `
INSERT INTO {schema}.biomarker (organisation, ${TYPES.map(([name]) => name).join(', ')})
SELECT $1, ${TYPES.map(([, type], place) => `unnest($${place + 2}::${type}[])`).join(', ')}`

/** Rewrites the rows of the biomarkers of stored results, with at most two statements for any number of results. */
export const storeBiomarkers: StoreHook = async (tx, stored, added) => {
  const results = stored.filter(({ kind }) => kind === 'result')
  const [first] = results
  if (first === undefined) return
  const known = results.filter((read) => !added.has(read)).map(({ uuid }) => uuid)
  if (known.length > 0) await tx.query(DELETE, [first.organisation, known])
  const rows = results.flatMap(biomarkerRows)
  if (rows.length === 0) return
  // A list for each column is shorter than JSON, which repeats the names in each row.
  const columns = TYPES.map(([name]) => rows.map((row) => row[name] ?? null))
  await tx.query(INSERT, [first.organisation, ...columns])
}

type Value = string | number | boolean | null

type Row = Readonly<Record<string, Value>>

function biomarkerRows({ uuid, prepared: { body } }: RecordRead): readonly Row[] {
  return listOf(body).map((biomarker, place) => {
    const canonical = fields(biomarker['canonical'])
    return {
      result_uuid: uuid,
      place,
      biomarker_id: text(biomarker['id']),
      name: text(biomarker['name']),
      common_name: text(biomarker['commonName']),
      category_id: text(fields(biomarker['category'])['id']),
      sample_type: text(biomarker['sampleType']),
      value_type: text(biomarker['valueType']),
      value: text(biomarker['value']),
      number: number(biomarker['value']),
      unit: text(biomarker['unit']),
      ref_low: number(biomarker['refIntervalLow']),
      ref_high: number(biomarker['refIntervalHigh']),
      is_abnormal: truth(biomarker['isAbnormal']),
      canonical_status: text(canonical['status']),
      canonical_number: number(canonical['value']),
      canonical_unit: text(canonical['unit']),
      canonical_ref_low: number(canonical['refIntervalLow']),
      canonical_ref_high: number(canonical['refIntervalHigh']),
      canonical_is_abnormal: truth(canonical['isAbnormal']),
    } satisfies Record<Column, Value>
  })
}

/** Returns the biomarkers with an id. Biomarkers without an id cannot be compared, so only the body contains them. */
function listOf(body: PreparedRecord['body']): readonly Fields[] {
  const list = body['biomarkers']
  return Array.isArray(list) ? list.filter((entry) => typeof fields(entry)['id'] === 'string') : []
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function text(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

/** Returns a numeric value. A value such as `<0.5` gives `null`, because its exact number is unknown. */
function number(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || !/^\s*[-+]?\d{1,30}(\.\d{1,30})?\s*$/.test(value)) return null
  return Number(value)
}

function truth(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}
