import { type ControlAction, methodAction } from './control-action.js'

const connection = (name: string, path: string, description: string, reason = false): ControlAction =>
  methodAction({
    method: 'POST',
    path: `/routing/{providerNumber}/{vendorId}/${path}`,
    description,
    ...(reason ? { body: { reason: 'string: value of actionNeededReason' } } : {}),
    calls: ['routing', name],
    from: ['{providerNumber}', '{vendorId}', ...(reason ? (['.reason'] as const) : [])],
  })

/** Actions on provider records, routing and the directory. */
export const DIRECTORY_ACTIONS: readonly ControlAction[] = [
  methodAction({
    method: 'POST',
    path: '/routing/submit',
    description: 'submits NOT_SUBMITTED connections; their status becomes PENDING_CONFIRMATION',
    body: { providerNumber: 'string: only this provider', vendorId: 'string: only this vendor' },
    calls: ['routing', 'submit'],
    from: ['body'],
  }),
  methodAction({
    method: 'GET',
    path: '/routing/{providerNumber}/{vendorId}/attestation',
    description: 'returns the attestation of the latest routing request',
    calls: ['routing', 'attestation'],
    from: ['{providerNumber}', '{vendorId}'],
  }),
  connection('confirm', 'confirm', 'confirms a connection; the status becomes CONNECTED'),
  connection('needAction', 'need-action', 'reports a problem; the status becomes ACTION_NEEDED', true),
  connection('stop', 'stop', 'requests the end of routing; the status becomes STOP_REQUESTED'),
  connection('end', 'end', 'removes the connection'),
  methodAction({
    method: 'GET',
    path: '/providers',
    description: "returns every provider record of the client's organisation, oldest first",
    calls: ['providers', 'all'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/providers/of-other-organisation',
    description:
      'returns the provider records of another organisation; a save of their numbers gives PROVIDER_NUMBER_IN_USE',
    calls: ['providers', 'ofOtherOrganisation'],
    from: [],
  }),
  methodAction({
    method: 'PUT',
    path: '/providers/{providerNumber}',
    description: 'creates or changes a provider record, as the portal does',
    body: {
      name: 'string',
      address: 'string',
      title: 'string',
      phone: 'string',
      email: 'string',
      signature: 'string: a PNG as base64 or a data URI',
    },
    calls: ['providers', 'saveInPortal'],
    from: ['{providerNumber}', 'body'],
  }),
  methodAction({
    method: 'PUT',
    path: '/vendors/{vendorId}',
    description: 'enables or disables a vendor',
    body: { enabled: 'boolean' },
    calls: ['vendors', 'setEnabled'],
    from: ['{vendorId}', '.enabled'],
  }),
  methodAction({
    method: 'POST',
    path: '/centres/weekly-refresh',
    description:
      'simulates a weekly listing with the changes in the body; sends collection_centres.updated if a centre changed',
    body: {
      created: 'integer from 0 to 50000: number of new centres',
      updated: 'number, list of UUIDs or "all": ACTIVE centres that get new details',
      revived: 'number, list of UUIDs or "all": MISSING centres that become ACTIVE',
      revivedWithNewDetails: 'number or list of UUIDs: revived centres that also get new details',
      missing: 'number, list of UUIDs or "all": ACTIVE centres that become MISSING',
      retired:
        'number, list of UUIDs or "all": MISSING centres to retire; default: the centres that retireAfterMissingWeeks consecutive listings omit',
    },
    calls: ['centres', 'weeklyRefresh'],
    from: ['body'],
  }),
]

/** Actions on the catalogue, and reads of the centres. */
export const CATALOGUE_ACTIONS: readonly ControlAction[] = [
  methodAction({
    method: 'POST',
    path: '/catalogue/tests',
    description: 'adds a test to the catalogue',
    body: {
      id: 'string',
      name: 'string',
      shortName: 'string, default the name',
      sample: 'string, default blood',
      medicareListed: 'boolean',
      priceCents: 'integer: price in cents',
      biomarkerIds: 'list of biomarker ids',
    },
    calls: ['catalogue', 'addTest'],
    from: ['body'],
  }),
  methodAction({
    method: 'POST',
    path: '/catalogue/bundles',
    description: 'adds a bundle to the catalogue',
    body: { id: 'string', name: 'string', testIds: 'list of test ids', visibility: 'PUBLIC or PRIVATE' },
    calls: ['catalogue', 'addBundle'],
    from: ['body'],
  }),
  methodAction({
    method: 'GET',
    path: '/centres',
    description: 'returns every centre of any status, sorted by name',
    calls: ['centres', 'all'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/centres/refreshes',
    description: 'returns the latest 100 refreshes of the directory, oldest first',
    calls: ['centres', 'refreshes'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/centres/{uuid}',
    description: 'returns a centre of any status',
    calls: ['centres', 'retrieve'],
    from: ['{uuid}'],
  }),
]
