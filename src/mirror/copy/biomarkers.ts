import { isRecord } from '../../common/known-options.js'
import type { PreparedRecord } from './digest.js'
import type { RecordRead } from './record-kinds.js'
import type { StoreHook } from './refetch.js'

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

const NAMES = Object.keys(COLUMNS)

const DELETE = 'DELETE FROM {schema}.biomarker WHERE organisation = $1 AND result_uuid = ANY($2::text[])'

const INSERT = `
INSERT INTO {schema}.biomarker (organisation, ${NAMES.join(', ')})
SELECT $1, ${NAMES.map((name) => `row.${name}`).join(', ')}
FROM json_to_recordset($2::json) AS row (${Object.entries(COLUMNS)
  .map((column) => column.join(' '))
  .join(', ')})
ORDER BY row.result_uuid, row.place`

type Fields = Readonly<Record<string, unknown>>

/** Rewrites the rows of the biomarkers of stored results, with two statements for any number of results. */
export const storeBiomarkers: StoreHook = async (tx, stored) => {
  const results = stored.filter(({ kind }) => kind === 'result')
  const [first] = results
  if (first === undefined) return
  await tx.query(DELETE, [first.organisation, results.map(({ uuid }) => uuid)])
  const rows = results.flatMap(biomarkerRows)
  if (rows.length > 0) await tx.query(INSERT, [first.organisation, JSON.stringify(rows)])
}

function biomarkerRows({
  uuid,
  prepared: { body },
}: Pick<RecordRead, 'uuid' | 'prepared'>): readonly object[] {
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
    }
  })
}

/** Biomarkers without an id cannot be compared: they stay in the body only. */
function listOf(body: PreparedRecord['body']): readonly Fields[] {
  const list = body['biomarkers']
  return Array.isArray(list) ? list.filter((entry) => typeof fields(entry)['id'] === 'string') : []
}

function fields(value: unknown): Fields {
  return isRecord(value) ? Object.fromEntries(Object.entries(value)) : {}
}

function text(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

/** A value such as `<0.5` is not a number: half of it would be invented. */
function number(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || !/^\s*[-+]?\d{1,30}(\.\d{1,30})?\s*$/.test(value)) return null
  return Number(value)
}

function truth(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}
