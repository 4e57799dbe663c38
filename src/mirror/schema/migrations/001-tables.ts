import { RECORDS } from './001-records.js'
import { VIEWS } from './001-views.js'
import type { Migration } from './migration.js'

const EVENTS_AND_WORK = `
CREATE TABLE {schema}.event (
  organisation text NOT NULL,
  event_uuid text NOT NULL,
  event_name text NOT NULL,
  kind text,
  key text,
  promised_at timestamptz,
  body jsonb,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, event_uuid)
);
CREATE INDEX event_target ON {schema}.event (organisation, kind, key, received_at);
CREATE INDEX event_received ON {schema}.event (received_at);
COMMENT ON TABLE {schema}.event IS 'Received webhook events. The primary key removes duplicates.';
COMMENT ON COLUMN {schema}.event.promised_at IS 'updatedAt of the record according to the event';
COMMENT ON COLUMN {schema}.event.body IS 'health data: the event as received; NULL once its record is erased';

CREATE TABLE {schema}.work (
  organisation text NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  wanted bigint NOT NULL DEFAULT 1,
  run_at timestamptz NOT NULL DEFAULT now(),
  since timestamptz NOT NULL DEFAULT now(),
  lease uuid,
  attempts integer NOT NULL DEFAULT 0,
  rereads integer NOT NULL DEFAULT 0,
  dead boolean NOT NULL DEFAULT false,
  error text,
  source text NOT NULL DEFAULT 'webhook',
  promised_at timestamptz,
  iteration text,
  PRIMARY KEY (organisation, kind, key)
);
CREATE INDEX work_iteration ON {schema}.work (organisation, iteration) WHERE iteration IS NOT NULL;
CREATE INDEX work_dead ON {schema}.work (organisation, kind) WHERE dead;
COMMENT ON TABLE {schema}.work IS 'Pieces of work, one row each. A leased row is not claimed before run_at.';
COMMENT ON COLUMN {schema}.work.since IS 'Time of the oldest event, or other cause of this work, that is not processed yet';
COMMENT ON COLUMN {schema}.work.iteration IS 'Name of the sweep or backfill that requested this read, and whose report counts the read';
COMMENT ON COLUMN {schema}.work.error IS 'Name and code of the last error, without data';

CREATE TABLE {schema}.schedule (
  name text PRIMARY KEY,
  organisation text NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  every_ms bigint NOT NULL,
  due_at timestamptz NOT NULL,
  last_run_at timestamptz
);

CREATE TABLE {schema}.iteration (
  organisation text NOT NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'running',
  cursor text,
  detail jsonb NOT NULL DEFAULT '{}',
  requests bigint NOT NULL DEFAULT 0,
  read bigint NOT NULL DEFAULT 0,
  added bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  recovered bigint NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (organisation, name)
);

CREATE TABLE {schema}.contact (
  organisation text PRIMARY KEY,
  reached_at timestamptz,
  failing_since timestamptz,
  failed_at timestamptz,
  error text,
  is_rejected boolean NOT NULL DEFAULT false,
  failures integer NOT NULL DEFAULT 0,
  probe_at timestamptz
);
COMMENT ON TABLE {schema}.contact IS 'Whether the service was reached, for each organisation';
COMMENT ON COLUMN {schema}.contact.reached_at IS 'Time of a success; written at most once a minute';
COMMENT ON COLUMN {schema}.contact.failing_since IS 'Start of the outage; NULL while the service is reached';
COMMENT ON COLUMN {schema}.contact.error IS 'Name and code of the last failure, without data';
COMMENT ON COLUMN {schema}.contact.probe_at IS 'During an outage: time from which one piece of work may be claimed';
`

const DIRECTORIES = `
CREATE TABLE {schema}.test (
  organisation text NOT NULL,
  id text NOT NULL,
  name text,
  body jsonb NOT NULL,
  digest text NOT NULL,
  read_at timestamptz NOT NULL,
  missing_at timestamptz,
  retired_at timestamptz,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, id)
);
CREATE TABLE {schema}.bundle (LIKE {schema}.test INCLUDING ALL);
CREATE TABLE {schema}.catalogue_biomarker (LIKE {schema}.test INCLUDING ALL);
CREATE TABLE {schema}.vendor (LIKE {schema}.test INCLUDING ALL);

CREATE TABLE {schema}.provider (
  organisation text NOT NULL,
  provider_number text NOT NULL,
  name text,
  has_signature boolean,
  updated_at timestamptz,
  body jsonb NOT NULL,
  digest text NOT NULL,
  read_at timestamptz NOT NULL,
  missing_at timestamptz,
  retired_at timestamptz,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, provider_number)
);
COMMENT ON COLUMN {schema}.provider.body IS 'personal data: the doctor''s record with the signature';

CREATE TABLE {schema}.centre (
  uuid text PRIMARY KEY,
  name text,
  status text,
  vendor_id text,
  pathology_provider_id text,
  city text,
  state text,
  postcode text,
  lat double precision,
  lng double precision,
  last_seen_at timestamptz,
  body jsonb NOT NULL,
  digest text NOT NULL,
  read_at timestamptz NOT NULL,
  retired_at timestamptz,
  stored_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX centre_place ON {schema}.centre (lat, lng);
CREATE INDEX centre_postcode ON {schema}.centre (postcode);
`

const CHANGES = `
CREATE TABLE {schema}.change (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation text NOT NULL,
  kind text NOT NULL,
  uuid text NOT NULL,
  group_key text NOT NULL,
  action text NOT NULL,
  source text NOT NULL,
  recovered boolean NOT NULL DEFAULT false,
  status_before text,
  status_after text,
  updated_at timestamptz,
  body jsonb,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX change_group ON {schema}.change (organisation, group_key, position);
CREATE INDEX change_entity ON {schema}.change (organisation, kind, uuid, position);
CREATE INDEX change_time ON {schema}.change (changed_at);
CREATE INDEX change_recovered ON {schema}.change (changed_at) WHERE recovered;
COMMENT ON TABLE {schema}.change IS 'Every change of the copy in the order of commits: outbox and history';
COMMENT ON COLUMN {schema}.change.body IS 'health data: the record after the change; NULL once cleared or erased';

CREATE TABLE {schema}.consumer (
  organisation text NOT NULL,
  name text NOT NULL,
  from_position bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, name)
);
COMMENT ON COLUMN {schema}.consumer.from_position IS 'Changes after this position are delivered';

CREATE TABLE {schema}.delivery (
  organisation text NOT NULL,
  consumer text NOT NULL,
  group_key text NOT NULL,
  position bigint NOT NULL,
  delivered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, consumer, group_key)
);
COMMENT ON COLUMN {schema}.delivery.position IS 'Position of the last delivered change of the group';
`

export const tables: Migration = {
  version: 1,
  name: 'tables',
  sql: [EVENTS_AND_WORK, RECORDS, DIRECTORIES, CHANGES, VIEWS].join(''),
}
