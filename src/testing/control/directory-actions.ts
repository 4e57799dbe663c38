import { type ControlAction, driverAction } from './control-action.js'

const connection = (name: string, path: string, description: string, reason = false): ControlAction =>
  driverAction({
    method: 'POST',
    path: `/routing/{providerNumber}/{vendorId}/${path}`,
    description,
    ...(reason ? { body: { reason: 'string: shown as actionNeededReason' } } : {}),
    driver: ['routing', name],
    from: ['{providerNumber}', '{vendorId}', ...(reason ? (['.reason'] as const) : [])],
  })

/** What can be done to provider records, routing and the directory. */
export const DIRECTORY_ACTIONS: readonly ControlAction[] = [
  driverAction({
    method: 'POST',
    path: '/routing/submit',
    description: 'the team sends a batch: NOT_SUBMITTED to PENDING_CONFIRMATION',
    body: { providerNumber: 'string: only this provider', vendorId: 'string: only this laboratory' },
    driver: ['routing', 'submit'],
    from: ['body'],
  }),
  driverAction({
    method: 'GET',
    path: '/routing/{providerNumber}/{vendorId}/attestation',
    description: 'what the latest routing request attested',
    driver: ['routing', 'attestation'],
    from: ['{providerNumber}', '{vendorId}'],
  }),
  connection('confirm', 'confirm', 'the laboratory confirms: to CONNECTED'),
  connection('needAction', 'need-action', 'the laboratory cannot go on: to ACTION_NEEDED', true),
  connection('stop', 'stop', 'routing is to be wound down: to STOP_REQUESTED'),
  connection('end', 'end', 'routing has been wound down: the connection is gone'),
  driverAction({
    method: 'GET',
    path: '/providers',
    description: "every provider record of the credentials' organisation, oldest first",
    driver: ['providers', 'all'],
    from: [],
  }),
  driverAction({
    method: 'PUT',
    path: '/providers/{providerNumber}',
    description: 'creates or changes a provider record as the portal would',
    body: {
      name: 'string',
      address: 'string',
      title: 'string',
      phone: 'string',
      email: 'string',
      signature: 'string: data URI of a PNG',
    },
    driver: ['providers', 'saveInPortal'],
    from: ['{providerNumber}', 'body'],
  }),
  driverAction({
    method: 'PUT',
    path: '/vendors/{vendorId}',
    description: 'makes a laboratory reachable or not',
    body: { enabled: 'boolean' },
    driver: ['vendors', 'setEnabled'],
    from: ['{vendorId}', '.enabled'],
  }),
  driverAction({
    method: 'POST',
    path: '/centres/weekly-refresh',
    description:
      "reads the laboratories' weekly listing, and sends collection_centres.updated if anything changed",
    body: {
      created: 'whole number: new centres',
      updated: 'number, list of uuids or "all": centres with new details',
      revived: 'number, list of uuids or "all": MISSING centres that are back',
      revivedWithNewDetails: 'number or list of uuids, of the revived ones',
      missing: 'number, list of uuids or "all": centres left out of the listing',
      retired: 'number, list of uuids or "all": MISSING centres to retire now',
    },
    driver: ['centres', 'weeklyRefresh'],
    from: ['body'],
  }),
]

/** What can be done to the catalogue, and a look at the centres. */
export const CATALOGUE_ACTIONS: readonly ControlAction[] = [
  driverAction({
    method: 'POST',
    path: '/catalogue/tests',
    description: 'adds a test to the catalogue',
    body: {
      id: 'string',
      name: 'string',
      shortName: 'string, default the name',
      sample: 'string, default blood',
      medicareListed: 'boolean',
      priceCents: 'whole cents',
      biomarkerIds: 'list of ids of the biomarker catalogue',
    },
    driver: ['catalogue', 'addTest'],
    from: ['body'],
  }),
  driverAction({
    method: 'POST',
    path: '/catalogue/bundles',
    description: 'adds a bundle',
    body: { id: 'string', name: 'string', testIds: 'list of test ids', visibility: 'PUBLIC or PRIVATE' },
    driver: ['catalogue', 'addBundle'],
    from: ['body'],
  }),
  driverAction({
    method: 'GET',
    path: '/centres',
    description: 'every centre by name, RETIRED and unmappable ones included',
    driver: ['centres', 'all'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/centres/refreshes',
    description: 'the latest refreshes of the directory, oldest first',
    driver: ['centres', 'refreshes'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/centres/{uuid}',
    description: 'one centre of any status',
    driver: ['centres', 'retrieve'],
    from: ['{uuid}'],
  }),
]
