import type { listCentres, showCentre, showDirectory } from '../directory.js'
import { Act, Form, Submit } from './actions.js'
import { useRead } from './control.js'
import { NumberInput } from './faults.js'
import { labelOf, number } from './format.js'
import { byStatus, type ListView } from './list.js'
import { Block, Columns, Empty, Facts, FoldedJson, Head, Pill, Text, Time } from './parts.js'

type Directory = ReturnType<typeof showDirectory>
type Summary = ReturnType<typeof listCentres>['items'][number]
type Detail = ReturnType<typeof showCentre>

/** Changes of a weekly listing (§3.4). */
const CHANGES = {
  created: 'New centres',
  updated: 'Changed details',
  missing: 'ACTIVE to MISSING',
  revived: 'MISSING to ACTIVE',
  retired: 'MISSING to RETIRED',
} as const

/** Actions that the page offers for a connection, by its status. An action is the last part of a request's path. */
const ROUTING_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  NOT_SUBMITTED: ['confirm', 'need-action'],
  PENDING_CONFIRMATION: ['confirm', 'need-action', 'stop'],
  CONNECTED: ['stop', 'need-action'],
  ACTION_NEEDED: ['confirm', 'stop'],
  STOP_REQUESTED: ['end'],
}

export const centres: ListView<Summary, Detail> = {
  name: 'directory',
  label: 'Centres',
  path: '/console/centres',
  searchHint: 'Name, suburb, postcode or UUID',
  filters: [byStatus(() => ['ACTIVE', 'MISSING', 'RETIRED'])],
  whenEmpty: 'The directory has no centres.',
  idOf: ({ uuid }) => uuid,
  row: ({ name, place, hours, status }) => ({
    main: name,
    below: `${place} · ${hours.replaceAll('\n', ', ')}`,
    right: <Pill status={status} />,
  }),
  Detail: CentreDetail,
}

function CentreDetail({ detail: { centre, hours } }: { detail: Detail }) {
  const { address, venueName, city, state, postcode, lat, lng } = centre
  return (
    <article>
      <Head title={centre.name} marks={<Pill status={centre.status} />} id={centre.uuid} />
      <Block title="Centre">
        <Facts
          rows={[
            ['Address', [venueName, address, `${city} ${state} ${postcode}`].filter(Boolean).join(', ')],
            ['Laboratory', `${centre.vendorName} (${centre.vendorId})`],
            ['Brand', centre.pathologyProviderName],
            ['Phone', centre.phone],
            ['Position', `${lat}, ${lng}`],
            ['Services', centre.services.join(', ')],
            ['Notes', centre.notes],
            ['Last seen', <Time key="seen" iso={centre.lastSeenAt} />],
          ]}
        />
      </Block>
      <Block title="Open">
        <Text>{hours}</Text>
      </Block>
      <FoldedJson summary="API response" value={centre} />
    </article>
  )
}

/** Refreshes and providers, shown next to the centres if none is selected. */
export function DirectoryPanel() {
  const { data } = useRead<Directory>('/console/directory')
  if (data === undefined) return null
  return (
    <article>
      <Head title="Directory" />
      <Block title="Collection centres">
        <p class="summary">
          {Object.entries(data.centres).map(([status, count]) => (
            <Pill key={status} status={status}>
              {number(count)} {labelOf(status).toLowerCase()}
            </Pill>
          ))}
        </p>
      </Block>
      <Block title="Weekly refresh">
        <RefreshForm />
      </Block>
      <Block title="Refreshes">
        <Refreshes refreshes={data.refreshes} />
      </Block>
      <Block title="Providers and routing">
        <Providers providers={data.providers} total={data.providerCount} />
      </Block>
    </article>
  )
}

function RefreshForm() {
  const command = (fields: FormData) => {
    const counts = Object.keys(CHANGES).map((name) => [name, Number(fields.get(name))] as const)
    return {
      path: '/centres/weekly-refresh',
      // `retired: 0` would prevent the automatic retirement.
      body: Object.fromEntries(counts.filter(([, count]) => count > 0)),
      done: 'Directory refreshed',
    }
  }
  return (
    <Form name="refresh" command={command}>
      {Object.entries(CHANGES).map(([name, label]) => (
        <NumberInput key={name} label={label} name={name} start={name === 'updated' ? '12' : '0'} min={0} />
      ))}
      <Submit>Refresh the directory</Submit>
      <p class="hint">
        With 0 in the last field, the refresh retires each centre that is missing from retireAfterMissingWeeks
        consecutive listings.
      </p>
    </Form>
  )
}

function Refreshes({ refreshes }: { refreshes: Directory['refreshes'] }) {
  if (refreshes.length === 0) return <Empty>No refreshes yet.</Empty>
  const kinds = ['created', 'updated', 'revived', 'missing', 'retired']
  return (
    <table class="plain refreshes">
      <Columns titles={['Time', ...kinds.map(labelOf)]} />
      <tbody>
        {refreshes.map(({ runUuid, ranAt, counts }) => (
          <tr key={runUuid}>
            <td>
              <Time iso={ranAt} />
            </td>
            {kinds.map((kind) => (
              <td key={kind} class={counts[kind] === 0 ? 'muted' : undefined}>
                {number(counts[kind] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Providers({ providers, total }: { providers: Directory['providers']; total: number }) {
  return (
    <>
      <div class="action-bar">
        <Act
          label="Submit batch"
          title="Changes every NOT_SUBMITTED connection to PENDING_CONFIRMATION"
          command={{ path: '/routing/submit', body: {}, done: 'Batch submitted' }}
        />
      </div>
      <ul class="cards">
        {providers.map(({ providerNumber, name, signed, connections }) => (
          <li key={providerNumber}>
            <span class="wide">{name}</span>
            <span class="mono muted">{providerNumber}</span>
            {signed ? null : <Pill tone="warn">No signature</Pill>}
            {connections.map((connection) => (
              <ConnectionRow key={connection.vendorId} providerNumber={providerNumber} {...connection} />
            ))}
          </li>
        ))}
      </ul>
      {total > providers.length ? <Empty>and {number(total - providers.length)} more providers</Empty> : null}
    </>
  )
}

interface ConnectionProps {
  readonly providerNumber: string
  readonly vendorId: string
  readonly status: string
}

function ConnectionRow({ providerNumber, vendorId, status }: ConnectionProps) {
  const base = `/routing/${encodeURIComponent(providerNumber)}/${encodeURIComponent(vendorId)}`
  return (
    <div class="connection">
      <span>{vendorId}</span>
      <Pill status={status} />
      <span class="actions">
        {(ROUTING_ACTIONS[status] ?? []).map((action) => (
          <Act
            key={action}
            label={labelOf(action)}
            command={{ path: `${base}/${action}`, done: `${vendorId}: ${labelOf(action)}` }}
          />
        ))}
      </span>
    </div>
  )
}
