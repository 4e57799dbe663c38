import { type Fields, isFields } from '../../contract/check.js'
import type { PreparedRecord } from './digest.js'
import type { RecordRead } from './record-kinds.js'
import type { StoreHook } from './store-batch.js'

/** Deletes the biomarkers of results ($2) of an organisation ($1). */
const DELETE = 'DELETE FROM {schema}.biomarker WHERE organisation = $1 AND result_uuid = ANY($2::text[])'

/** Inserts biomarkers of an organisation ($1). A list for each column is shorter than JSON, which repeats the names. */
const INSERT = `
INSERT INTO {schema}.biomarker (organisation, result_uuid, place, biomarker_id, name, common_name, category_id,
  sample_type, value_type, value, number, unit, ref_low, ref_high, is_abnormal, canonical_status, canonical_number,
  canonical_unit, canonical_ref_low, canonical_ref_high, canonical_is_abnormal)
SELECT $1, * FROM unnest($2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::text[], $9::text[], $10::text[], $11::double precision[], $12::text[], $13::double precision[],
  $14::double precision[], $15::boolean[], $16::text[], $17::double precision[], $18::text[],
  $19::double precision[], $20::double precision[], $21::boolean[])`

/** Rewrites the rows of the biomarkers of stored results, with at most two statements for any number of results. */
export const storeBiomarkers: StoreHook = async (tx, stored, added) => {
  const results = stored.filter(({ kind }) => kind === 'result')
  const [first] = results
  if (first === undefined) return
  const known = results.filter((read) => !added.has(read)).map(({ uuid }) => uuid)
  if (known.length > 0) await tx.query(DELETE, [first.organisation, known])
  const rows = results.flatMap(rowsOf)
  const [row] = rows
  if (row === undefined) return
  const columns = row.map((_, place) => rows.map((values) => values[place] ?? null))
  await tx.query(INSERT, [first.organisation, ...columns])
}

/** Returns the rows of a result, with the values of {@link INSERT} in their order. */
function rowsOf({ uuid, prepared: { body } }: RecordRead): readonly (readonly unknown[])[] {
  return listOf(body).map((biomarker, place) => {
    const canonical = fields(biomarker['canonical'])
    return [
      uuid,
      place,
      text(biomarker['id']),
      text(biomarker['name']),
      text(biomarker['commonName']),
      text(fields(biomarker['category'])['id']),
      text(biomarker['sampleType']),
      text(biomarker['valueType']),
      text(biomarker['value']),
      number(biomarker['value']),
      text(biomarker['unit']),
      number(biomarker['refIntervalLow']),
      number(biomarker['refIntervalHigh']),
      truth(biomarker['isAbnormal']),
      text(canonical['status']),
      number(canonical['value']),
      text(canonical['unit']),
      number(canonical['refIntervalLow']),
      number(canonical['refIntervalHigh']),
      truth(canonical['isAbnormal']),
    ]
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
