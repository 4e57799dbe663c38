import { type ControlAction, methodAction } from './control-action.js'

const connection = (
  name: 'confirm' | 'needAction' | 'stop' | 'end',
  path: string,
  description: string,
  reason = false,
): ControlAction =>
  methodAction(`POST /routing/{providerNumber}/{vendorId}/${path}`, `routing.${name}`, description, {
    ...(reason ? { body: { reason: 'string: value of actionNeededReason' } } : {}),
    from: ['{providerNumber}', '{vendorId}', ...(reason ? (['.reason'] as const) : [])],
  })

/** Actions on provider records, routing and the directory. */
export const DIRECTORY_ACTIONS: readonly ControlAction[] = [
  methodAction(
    'POST /routing/submit',
    'routing.submit',
    'submits NOT_SUBMITTED connections; their status becomes PENDING_CONFIRMATION',
    { body: { providerNumber: 'string: only this provider', vendorId: 'string: only this vendor' } },
  ),
  methodAction(
    'GET /routing/{providerNumber}/{vendorId}/attestation',
    'routing.attestation',
    'returns the attestation of the latest routing request',
  ),
  connection('confirm', 'confirm', 'confirms a connection; the status becomes CONNECTED'),
  connection('needAction', 'need-action', 'reports a problem; the status becomes ACTION_NEEDED', true),
  connection('stop', 'stop', 'requests the end of routing; the status becomes STOP_REQUESTED'),
  connection('end', 'end', 'removes the connection'),
  methodAction(
    'GET /providers',
    'providers.all',
    "returns every provider record of the client's organisation, oldest first",
  ),
  methodAction(
    'GET /providers/of-other-organisation',
    'providers.ofOtherOrganisation',
    'returns the provider records of another organisation; a save of their numbers gives PROVIDER_NUMBER_IN_USE',
  ),
  methodAction(
    'PUT /providers/{providerNumber}',
    'providers.saveInPortal',
    'creates or changes a provider record, as the portal does',
    {
      body: {
        name: 'string',
        address: 'string',
        title: 'string',
        phone: 'string',
        email: 'string',
        signature: 'string: a PNG as base64 or a data URI',
      },
    },
  ),
  methodAction('PUT /vendors/{vendorId}', 'vendors.setEnabled', 'enables or disables a vendor', {
    body: { enabled: 'boolean' },
    from: ['{vendorId}', '.enabled'],
  }),
  methodAction(
    'POST /centres/weekly-refresh',
    'centres.weeklyRefresh',
    'simulates a weekly listing with the changes in the body; sends collection_centres.updated if a centre changed',
    {
      body: {
        created: 'integer from 0 to 50000: number of new centres',
        updated: 'number, list of UUIDs or "all": ACTIVE centres that get new details',
        revived: 'number, list of UUIDs or "all": MISSING centres that become ACTIVE',
        revivedWithNewDetails: 'number or list of UUIDs: revived centres that also get new details',
        missing: 'number, list of UUIDs or "all": ACTIVE centres that become MISSING',
        retired:
          'number, list of UUIDs or "all": MISSING centres to retire; default: the centres that retireAfterMissingWeeks consecutive listings omit',
      },
    },
  ),
]

/** Actions on the catalogue, and reads of the centres. */
export const CATALOGUE_ACTIONS: readonly ControlAction[] = [
  methodAction('POST /catalogue/tests', 'catalogue.addTest', 'adds a test to the catalogue', {
    body: {
      id: 'string',
      name: 'string',
      shortName: 'string, default the name',
      sample: 'string, default blood',
      medicareListed: 'boolean',
      priceCents: 'integer: price in cents',
      biomarkerIds: 'list of biomarker ids',
    },
  }),
  methodAction('POST /catalogue/bundles', 'catalogue.addBundle', 'adds a bundle to the catalogue', {
    body: { id: 'string', name: 'string', testIds: 'list of test ids', visibility: 'PUBLIC or PRIVATE' },
  }),
  methodAction('GET /centres', 'centres.all', 'returns every centre of any status, sorted by name'),
  methodAction(
    'GET /centres/refreshes',
    'centres.refreshes',
    'returns the latest 100 refreshes of the directory, oldest first',
  ),
  methodAction('GET /centres/{uuid}', 'centres.retrieve', 'returns a centre of any status'),
]
