import { FINAL_LIST } from '../final-statuses.js'

/** Tables of the copied referrals and results, and of the data that belongs to them. */
export const RECORDS = `
CREATE TABLE {schema}.referral (
  organisation text NOT NULL,
  uuid text NOT NULL,
  group_key text NOT NULL,
  status text,
  reference text,
  reference_number text,
  results_uuid text,
  bundle_id text,
  product_id text,
  referral_type text,
  origin text,
  medicare boolean,
  tests text[] NOT NULL DEFAULT '{}',
  has_attachment boolean NOT NULL DEFAULT false,
  created_at timestamptz,
  updated_at timestamptz,
  deleted_at timestamptz,
  gone_at timestamptz,
  missing_at timestamptz,
  listed_at timestamptz,
  body jsonb NOT NULL,
  digest text NOT NULL,
  read_at timestamptz NOT NULL,
  read_by text NOT NULL,
  stale_reads integer NOT NULL DEFAULT 0,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, uuid)
);
CREATE INDEX referral_group ON {schema}.referral (organisation, group_key);
CREATE INDEX referral_status ON {schema}.referral (organisation, status, created_at);
-- A B-tree rejects a row with a long text, and the service does not limit the length of this text.
CREATE INDEX referral_reference_number ON {schema}.referral USING hash (reference_number);
CREATE INDEX referral_updated ON {schema}.referral (organisation, updated_at);
-- The small parts of the table that the sweeps list.
CREATE INDEX referral_open ON {schema}.referral (organisation, created_at)
  WHERE deleted_at IS NULL AND gone_at IS NULL AND NOT COALESCE(status, '') IN (${FINAL_LIST});
CREATE INDEX referral_missing ON {schema}.referral (organisation, missing_at) WHERE missing_at IS NOT NULL;
COMMENT ON COLUMN {schema}.referral.body IS 'health data: the referral as received, without its signed URL';
COMMENT ON COLUMN {schema}.referral.tests IS 'health data: ids of the ordered tests';
COMMENT ON COLUMN {schema}.referral.reference_number IS 'personal data: the reference given with the order';
COMMENT ON COLUMN {schema}.referral.read_at IS 'Time before the stored read, by the clock of the database';
COMMENT ON COLUMN {schema}.referral.missing_at IS 'Time at which a sweep did not find the record. The record is then marked as gone, unless too many are missing';
COMMENT ON COLUMN {schema}.referral.listed_at IS 'Last time that the sweep "everything" found the record in a list';
COMMENT ON COLUMN {schema}.referral.read_by IS 'uuid or list: how the stored read was made';

CREATE TABLE {schema}.result (
  organisation text NOT NULL,
  uuid text NOT NULL,
  group_key text NOT NULL,
  referral_uuid text,
  provenance text,
  status text,
  reference text,
  reference_number text,
  product_id text,
  has_attachment boolean NOT NULL DEFAULT false,
  result_date timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  deleted_at timestamptz,
  gone_at timestamptz,
  missing_at timestamptz,
  listed_at timestamptz,
  body jsonb NOT NULL,
  digest text NOT NULL,
  read_at timestamptz NOT NULL,
  read_by text NOT NULL,
  stale_reads integer NOT NULL DEFAULT 0,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, uuid)
);
CREATE INDEX result_group ON {schema}.result (organisation, group_key);
CREATE INDEX result_referral ON {schema}.result (organisation, referral_uuid);
CREATE INDEX result_status ON {schema}.result (organisation, status, created_at);
CREATE INDEX result_updated ON {schema}.result (organisation, updated_at);
CREATE INDEX result_open ON {schema}.result (organisation, created_at)
  WHERE deleted_at IS NULL AND gone_at IS NULL AND NOT COALESCE(status, '') IN (${FINAL_LIST});
CREATE INDEX result_missing ON {schema}.result (organisation, missing_at) WHERE missing_at IS NOT NULL;
CREATE INDEX result_date ON {schema}.result (organisation, result_date);
COMMENT ON COLUMN {schema}.result.body IS 'health data: the result as received, without its signed URL';
COMMENT ON COLUMN {schema}.result.reference_number IS 'personal data: the reference given with the order';

CREATE TABLE {schema}.biomarker (
  organisation text NOT NULL,
  result_uuid text NOT NULL,
  place integer NOT NULL,
  biomarker_id text NOT NULL,
  name text,
  common_name text,
  category_id text,
  sample_type text,
  value_type text,
  value text,
  number double precision,
  unit text,
  ref_low double precision,
  ref_high double precision,
  is_abnormal boolean,
  canonical_status text,
  canonical_number double precision,
  canonical_unit text,
  canonical_ref_low double precision,
  canonical_ref_high double precision,
  canonical_is_abnormal boolean,
  PRIMARY KEY (organisation, result_uuid, place)
);
CREATE INDEX biomarker_by_id ON {schema}.biomarker (organisation, biomarker_id);
COMMENT ON TABLE {schema}.biomarker IS 'health data: values of results, one row each, rewritten with their result';
COMMENT ON COLUMN {schema}.biomarker.value IS 'health data: the value as the laboratory reported it';
COMMENT ON COLUMN {schema}.biomarker.number IS 'health data: the value of a numeric biomarker';
COMMENT ON COLUMN {schema}.biomarker.canonical_number IS 'health data: the value in the canonical unit';
COMMENT ON COLUMN {schema}.biomarker.is_abnormal IS 'health data';
COMMENT ON COLUMN {schema}.biomarker.canonical_is_abnormal IS 'health data';

CREATE TABLE {schema}.document (
  organisation text NOT NULL,
  kind text NOT NULL,
  uuid text NOT NULL,
  group_key text NOT NULL,
  sha256 text NOT NULL,
  bytes integer NOT NULL,
  content bytea,
  record_updated_at timestamptz,
  removed_at timestamptz,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, kind, uuid)
);
CREATE INDEX document_sha256 ON {schema}.document (sha256);
COMMENT ON COLUMN {schema}.document.content IS 'health data: the PDF; NULL if an object store has it';

CREATE TABLE {schema}.erased (
  organisation text NOT NULL,
  kind text NOT NULL,
  uuid text NOT NULL,
  group_key text NOT NULL,
  erased_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, uuid, kind)
);
CREATE INDEX erased_group ON {schema}.erased (organisation, group_key);
COMMENT ON TABLE {schema}.erased IS 'Erased records, which no read restores';
`
