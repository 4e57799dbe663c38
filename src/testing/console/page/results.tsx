import type { listResults, showResult } from '../orders.js'
import { Act, Form, Input, Select, Submit, textOf } from './actions.js'
import { BiomarkerTables } from './biomarkers.js'
import { labelOf, plural } from './format.js'
import { byStatus, type ListView } from './list.js'
import {
  ActionBar,
  Block,
  Empty,
  Facts,
  Fold,
  FoldedJson,
  Head,
  Pill,
  Text,
  Time,
  Timeline,
} from './parts.js'
import { PdfLink, PersonFacts } from './referrals.js'

type Summary = ReturnType<typeof listResults>['items'][number]
type Detail = ReturnType<typeof showResult>
type Result = Detail['result']

export const results: ListView<Summary, Detail> = {
  name: 'results',
  label: 'Results',
  path: '/console/results',
  searchHint: 'Name, reference or UUID',
  filters: [byStatus(({ resultStatuses }) => resultStatuses)],
  Tools: () => (
    <>
      <NewResult
        label="New incoming result"
        body={{}}
        title="A complete INCOMING result of an invented patient"
      />
      <NewResult
        label="New partial result"
        body={{ partial: true }}
        title="An INCOMING result with some of its biomarkers"
      />
    </>
  ),
  whenEmpty: 'No results yet. Complete a referral, or create a result with the buttons above.',
  idOf: ({ uuid }) => uuid,
  row: ({ name, status, provenance, reference, resultDate }) => ({
    main: name === '' ? 'No name' : name,
    below: [labelOf(provenance), reference].filter((part) => part !== '').join(' · '),
    right: <Pill status={status} />,
    rightBelow: <Time iso={resultDate} />,
  }),
  Detail: ResultDetail,
}

function NewResult({ label, body, title }: { label: string; body: object; title: string }) {
  const go = ({ uuid }: { uuid: string }) => `#/results/${uuid}`
  return (
    <Act
      label={label}
      title={title}
      command={{ path: '/results/incoming', body, done: 'Result created', go }}
    />
  )
}

function ResultDetail({ detail: { result, actions, timeline } }: { detail: Detail }) {
  const { person, uuid, status, referralUuid, biomarkers, report, labPatient } = result
  const name = `${person.firstName} ${person.lastName}`.trim()
  const marks = [
    <Pill key="status" status={status} />,
    result.deletedAt === null ? null : (
      <Pill key="deleted" tone="bad">
        Deleted
      </Pill>
    ),
  ]
  return (
    <article>
      <Head title={name === '' ? 'No name' : name} marks={marks} id={uuid}>
        <p class="links">
          <span class="muted">{labelOf(result.provenance)}</span>
          {referralUuid === null ? null : <a href={`#/referrals/${referralUuid}`}>Referral</a>}
          <PdfLink url={result.resultAttachment} />
        </p>
      </Head>
      <ActionBar actions={actions.filter((action) => action.name !== 'amend')} />
      <Block title="Biomarkers">
        <Counts result={result} />
        {biomarkers.length > 0 ? (
          <BiomarkerTables biomarkers={biomarkers} />
        ) : (
          <Empty>{report === null ? 'No biomarkers.' : 'No biomarkers, only report text.'}</Empty>
        )}
      </Block>
      {actions.some((action) => action.name === 'amend') ? <AmendForm result={result} /> : null}
      {report === null ? null : (
        <Fold summary={`Report text, ${plural(report.pit.length, 'message')}`}>
          {report.pit.map((message, place) => (
            <Text key={place}>{message}</Text>
          ))}
        </Fold>
      )}
      <Block title="Timeline">
        <Timeline entries={timeline} />
      </Block>
      <Block title="Patient">
        <PersonFacts person={person} />
      </Block>
      {labPatient === null ? null : <LabPatient patient={labPatient} />}
      <Block title="Result">
        <Facts
          rows={[
            ['Date', <Time key="date" iso={result.resultDate} />],
            ['Updated', <Time key="updated" iso={result.updatedAt} />],
            ['Reference', result.reference],
            ['Reference number', result.referenceNumber],
            [
              'Reviewed by',
              result.reviewedBy && `${result.reviewedBy.firstName} ${result.reviewedBy.lastName}`,
            ],
            ['Metadata', JSON.stringify(result.metadata)],
          ]}
        />
      </Block>
      <FoldedJson summary="API response" value={result} />
    </article>
  )
}

/** Corrects one value of a complete result, as a laboratory does. */
function AmendForm({ result: { uuid, biomarkers } }: { result: Result }) {
  const command = (fields: FormData) => ({
    path: `/results/${uuid}/amend`,
    body: { values: { [textOf(fields, 'biomarker')]: textOf(fields, 'value') } },
    done: 'Result amended',
  })
  return (
    <Block title="Correction">
      <Form name="amend" command={command}>
        <Select label="Biomarker" name="biomarker" options={biomarkers.map(({ id, name }) => [id, name])} />
        <Input label="New value" name="value" required size={10} />
        <Submit>Amend</Submit>
        <p class="hint">
          In the unit of the table. The fake sends result.updated and the event of the status.
        </p>
      </Form>
    </Block>
  )
}

function Counts({ result: { biomarkerSummary } }: { result: Result }) {
  if (biomarkerSummary === null || biomarkerSummary.total === 0) return null
  const { normal, abnormal, critical, total } = biomarkerSummary
  return (
    <p class="summary">
      <Pill tone="good">{normal} normal</Pill>
      <Pill tone={abnormal === 0 ? 'quiet' : 'warn'}>{abnormal} abnormal</Pill>
      <Pill tone={critical === 0 ? 'quiet' : 'bad'}>{critical} critical</Pill>
      <span class="muted">of {total}</span>
    </p>
  )
}

function LabPatient({ patient }: { patient: NonNullable<Result['labPatient']> }) {
  const { firstName, lastName, dob, gender, medicareNumber, email, phone } = patient
  return (
    <Block title="Patient as recorded by the laboratory">
      <Facts
        rows={[
          ['Name', `${firstName ?? ''} ${lastName ?? ''}`.trim()],
          ['Born', dob],
          ['Gender', gender],
          ['Medicare', medicareNumber],
          ['Email', email],
          ['Phone', phone],
        ]}
      />
    </Block>
  )
}
