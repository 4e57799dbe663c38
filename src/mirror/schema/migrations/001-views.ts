import { FINAL_LIST } from '../final-statuses.js'

// Upper end of the average turnaround time, in days, of the slowest ordered test. The catalogue's copy has the times. A
// value that is not a number is ignored.
const TURNAROUND_DAYS = `
  SELECT max((test.body #>> '{turnAroundTimeAverage,maximumDays}')::numeric) AS days
  FROM {schema}.test AS test
  WHERE test.organisation = referral.organisation AND test.id = ANY(referral.tests)
    AND test.body #>> '{turnAroundTimeAverage,maximumDays}' ~ '^[0-9]{1,4}([.][0-9]{1,4})?$'`

/** Views for reading. With row security, `is_visible` shows the rows of one organisation only. */
export const VIEWS = `
CREATE FUNCTION {schema}.is_visible(organisation text) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true';

CREATE VIEW {schema}.current_referral AS
SELECT organisation, uuid, group_key, status, reference, reference_number, results_uuid, bundle_id, product_id,
  referral_type, origin, medicare, tests, has_attachment, created_at, updated_at, stored_at, body
FROM {schema}.referral
WHERE deleted_at IS NULL AND gone_at IS NULL AND {schema}.is_visible(organisation);
COMMENT ON VIEW {schema}.current_referral IS 'health data: referrals that the service has and that are not deleted';

CREATE VIEW {schema}.current_result AS
SELECT organisation, uuid, group_key, referral_uuid, provenance, status, reference, reference_number, product_id,
  has_attachment, result_date, created_at, updated_at, stored_at, body
FROM {schema}.result
WHERE deleted_at IS NULL AND gone_at IS NULL AND {schema}.is_visible(organisation);
COMMENT ON VIEW {schema}.current_result IS 'health data: results that the service has and that are not deleted';

CREATE VIEW {schema}.biomarker_trend AS
SELECT biomarker.organisation, biomarker.biomarker_id, biomarker.common_name, biomarker.sample_type,
  biomarker.canonical_unit AS unit, biomarker.canonical_number AS number,
  biomarker.canonical_ref_low AS ref_low, biomarker.canonical_ref_high AS ref_high,
  COALESCE(biomarker.canonical_is_abnormal, biomarker.is_abnormal) AS is_abnormal,
  COALESCE(result.result_date, result.created_at) AS measured_at,
  result.uuid AS result_uuid, result.referral_uuid, result.status AS result_status, result.reference_number,
  NULLIF(lower(result.body #>> '{person,email}'), '') AS person_email, result.body #>> '{person,dob}' AS person_dob
FROM {schema}.biomarker AS biomarker
JOIN {schema}.result AS result ON result.organisation = biomarker.organisation AND result.uuid = biomarker.result_uuid
WHERE biomarker.canonical_number IS NOT NULL AND result.deleted_at IS NULL AND result.gone_at IS NULL
  AND {schema}.is_visible(biomarker.organisation);
COMMENT ON VIEW {schema}.biomarker_trend IS 'health data: numeric values in the canonical unit, which is the same for every laboratory';

CREATE VIEW {schema}.open_referral AS
SELECT referral.organisation, referral.uuid, referral.status, referral.reference, referral.reference_number,
  referral.tests, referral.created_at, now() - referral.created_at AS age, turnaround.days AS turnaround_days,
  COALESCE(now() - referral.created_at > turnaround.days * interval '1 day', false) AS is_overdue
FROM {schema}.referral AS referral
LEFT JOIN LATERAL (${TURNAROUND_DAYS}) AS turnaround ON true
WHERE referral.deleted_at IS NULL AND referral.gone_at IS NULL AND NOT COALESCE(referral.status, '') IN (${FINAL_LIST})
  AND {schema}.is_visible(referral.organisation);
COMMENT ON VIEW {schema}.open_referral IS 'health data: referrals without a final status; is_overdue compares their age with the turnaround time of the slowest test';

CREATE VIEW {schema}.mirror_health AS
SELECT organisation, count(*) FILTER (WHERE NOT dead AND run_at <= now()) AS backlog,
  count(*) FILTER (WHERE dead) AS dead,
  COALESCE(EXTRACT(EPOCH FROM now() - LEAST(min(since) FILTER (WHERE NOT dead AND kind <> 'object' AND (attempts > 0
    OR error IS NOT NULL OR (run_at <= now() AND source NOT IN ('sweep', 'backfill') AND kind <> 'sweep'))),
    (SELECT failing_since FROM {schema}.contact AS contact WHERE contact.organisation = known.organisation))), 0) AS lag_seconds,
  (SELECT count(*) FROM {schema}.change AS change WHERE change.organisation = known.organisation
    AND change.recovered AND change.changed_at > now() - interval '24 hours') AS recovered_24h,
  (SELECT max(finished_at) FROM {schema}.iteration AS iteration
    WHERE iteration.organisation = known.organisation) AS last_sweep_at
FROM (SELECT organisation FROM {schema}.iteration UNION SELECT organisation FROM {schema}.event
  UNION SELECT organisation FROM {schema}.work) AS known
LEFT JOIN {schema}.work AS work USING (organisation)
WHERE organisation <> '*' AND {schema}.is_visible(organisation)
GROUP BY organisation;
COMMENT ON VIEW {schema}.mirror_health IS 'State of the copy for each organisation, without personal data';
`
