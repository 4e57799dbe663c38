import type { listReferrals, showReferral } from '../orders.js'
import { labelOf, plural } from './format.js'
import { byStatus, type ListView } from './list.js'
import { ActionBar, Block, Facts, FoldedJson, Head, Pill, Time, Timeline } from './parts.js'

type Summary = ReturnType<typeof listReferrals>['items'][number]
type Detail = ReturnType<typeof showReferral>
type Person = Pick<Detail['referral']['person'], 'dob' | 'gender' | 'email' | 'phone' | 'address'>

export const referrals: ListView<Summary, Detail> = {
  name: 'referrals',
  label: 'Referrals',
  path: '/console/referrals',
  searchHint: 'Name, reference or UUID',
  filters: [byStatus(({ referralStatuses }) => referralStatuses)],
  Tools: () => (
    <a class="button" href="#/referrals/new">
      Place an order
    </a>
  ),
  whenEmpty: 'No referrals yet. Place an order over the API, or with the button above.',
  idOf: ({ uuid }) => uuid,
  row: ({ name, status, reference, referenceNumber, tests, medicare, createdAt }) => ({
    main: name,
    below: `${reference} · ${referenceNumber} · ${plural(tests, 'test')}${medicare ? ' · Medicare' : ''}`,
    right: <Pill status={status} />,
    rightBelow: <Time iso={createdAt} />,
  }),
  Detail: ReferralDetail,
}

function ReferralDetail({ detail: { referral, actions, timeline, siblingUuid } }: { detail: Detail }) {
  const { person, uuid, status, deletedAt, resultsUuid, referralAttachment } = referral
  const marks = [
    <Pill key="status" status={status} />,
    deletedAt === null ? null : (
      <Pill key="deleted" tone="bad">
        Deleted
      </Pill>
    ),
  ]
  return (
    <article>
      <Head title={`${person.firstName} ${person.lastName}`} marks={marks} id={uuid}>
        <p class="links">
          {resultsUuid === null ? null : <a href={`#/results/${resultsUuid}`}>Result</a>}
          <PdfLink url={referralAttachment} />
          {siblingUuid === null ? null : (
            <a href={`#/referrals/${siblingUuid}`}>Other referral of the order</a>
          )}
        </p>
      </Head>
      <ActionBar actions={actions} />
      <Block title="Timeline">
        <Timeline entries={timeline} />
      </Block>
      <Block title="Order">
        <OrderFacts referral={referral} />
      </Block>
      <Block title="Patient">
        <PersonFacts person={person} />
      </Block>
      <FoldedJson summary="API response" value={referral} />
    </article>
  )
}

function OrderFacts({ referral }: { referral: Detail['referral'] }) {
  const { orderingPractitioner: doctor, medicareCardNumber: card, metadata } = referral
  return (
    <Facts
      rows={[
        ['Tests', referral.tests.join(', ')],
        ['Reference', referral.reference],
        ['Reference number', referral.referenceNumber],
        ['Origin', labelOf(referral.origin)],
        ['Product', referral.productName],
        ['Ordered', <Time key="ordered" iso={referral.createdAt} />],
        ['Updated', <Time key="updated" iso={referral.updatedAt} />],
        ['Emailed', <Time key="emailed" iso={referral.emailSentAt} />],
        ...(doctor ? [['Practitioner', `${doctor.name}, ${doctor.providerNumber}`] as const] : []),
        ...(typeof card === 'string' ? [['Medicare card', card] as const] : []),
        ['Metadata', metadata === null ? '' : JSON.stringify(metadata)],
      ]}
    />
  )
}

export function PersonFacts({ person: { dob, gender, email, phone, address } }: { person: Person }) {
  const { addressLine1, addressLine2, city, state, postCode, country } = address
  const lines = [addressLine1, addressLine2, city, state, postCode, country]
  return (
    <Facts
      rows={[
        ['Born', dob],
        ['Gender', gender],
        ['Email', email],
        ['Phone', phone],
        ['Address', lines.filter((line) => typeof line === 'string' && line !== '').join(', ')],
      ]}
    />
  )
}

/** A link to a signed document URL of the fake. */
export function PdfLink({ url }: { url: string | null }) {
  if (url === null || !/^https?:/.test(url)) return null
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      PDF
    </a>
  )
}
