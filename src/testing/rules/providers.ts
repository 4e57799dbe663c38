import type { Endpoint } from '../../contract/endpoint.js'
import { endpoints } from '../../contract/endpoints.js'
import {
  type Refusal,
  type Samples,
  type ServiceRule,
  type WrongBody,
  wrongBodies,
  wrongValues,
} from './rule.js'

/** §3.3, §4.4. */
export const PROVIDERS_RULES: readonly ServiceRule[] = [
  {
    section: '3.3',
    text: 'The status of routing is NOT_SUBMITTED, PENDING_CONFIRMATION, CONNECTED, ACTION_NEEDED or STOP_REQUESTED.',
    fake: 'The control methods `routing.submit`, `confirm`, `needAction` and `stop` change the status, and `end` removes the connection.',
    open: 'Statuses that a repeated request resets: `restartedRoutingStatuses`.',
    tests: ['testing/domain/providers-routing'],
  },
  {
    section: '4.4',
    text: '`POST /v1/providers` creates a record, or updates an existing one.',
    fake: 'Invalid requests get INVALID_PROVIDER_NUMBER, INVALID_PROVIDER_DETAILS, INVALID_SIGNATURE, PROVIDER_NUMBER_IN_USE or INVALID_PAYLOAD. An update does not change the connections.',
    open: 'The form of a number (`providerNumberCheck`), whether a new record needs a signature (`signatureOnCreate`), and the maximum size of a signature (`signatureMaxBytes`).',
    tests: ['testing/domain/providers'],
    refusals: wrongProviders,
  },
  {
    section: '4.4',
    text: '`GET /v1/providers` and `GET /v1/providers/{providerNumber}` return records with their connections.',
    fake: 'The list is newest first and includes records that were saved in the portal. PROVIDER_NOT_FOUND for an unknown number.',
    open: 'The status of PROVIDER_NOT_FOUND is not documented: 404, or `errorStatuses`.',
    tests: ['testing/domain/providers'],
    refusals: () => unknownNumber(endpoints.providers.retrieve),
  },
  {
    section: '4.4',
    text: '`PUT /v1/providers/{providerNumber}` changes the given fields, but not the number.',
    fake: 'Without `encodedSignature`, the signature does not change. The connections never change.',
    tests: ['testing/domain/providers'],
    refusals: () => unknownNumber(endpoints.providers.update, { title: 'Dr' }),
  },
  {
    section: '4.4',
    text: '`DELETE /v1/providers/{providerNumber}` retires a record, unless a laboratory routes results to it.',
    fake: '409 PROVIDER_HAS_ACTIVE_ROUTING in CONNECTED and STOP_REQUESTED. Otherwise the record and its signature are deleted.',
    open: 'The statuses that prevent the retirement: `activeRoutingStatuses`.',
    tests: ['testing/domain/providers'],
    refusals: () => unknownNumber(endpoints.providers.retire),
  },
  {
    section: '4.4',
    text: '`GET /v1/vendors` lists the enabled laboratories.',
    fake: 'Four vendors. `vendors.setEnabled()` disables one.',
    tests: ['testing/domain/providers-routing', 'testing/domain/catalogue'],
  },
  {
    section: '4.4',
    text: '`POST /v1/providers/{providerNumber}/routing` records an attestation and requests routing.',
    fake: 'Invalid requests get MISSING_SIGNATURE, NO_VENDORS_SELECTED, UNKNOWN_VENDOR, MISSING_ATTESTATION or INVALID_PAYLOAD. A repeated request keeps CONNECTED.',
    open: 'The connections in the response: `routingResponse`. The fake does not send anything to a laboratory.',
    tests: ['testing/domain/providers-routing'],
    refusals: wrongRouting,
  },
]

const INVALID = 'INVALID_PAYLOAD'

/** Bytes that are not a PNG, as base64. */
const JPEG = '/9j/4AAQSkZJRgAB'

function wrongProviders(): Refusal[] {
  const good = { providerNumber: '2449001X', name: 'Dr Contract Check', address: '1 Example Street' }
  const details = 'INVALID_PROVIDER_DETAILS'
  return wrongBodies(endpoints.providers.save, good, [
    ...['name', 'address'].flatMap((name): WrongBody[] => [
      [`provider without ${name}`, { [name]: undefined }, details],
      [`empty ${name} of a provider`, { [name]: '' }, details],
      [`blank ${name} of a provider`, { [name]: '   ' }, details],
      [`number as ${name} of a provider`, { [name]: 5 }, [details, INVALID]],
    ]),
    ...[undefined, '', '242662B', '24266210B', '!!!!!!!!', 24266210].map(
      (providerNumber): WrongBody => [
        `${providerNumber} as the provider number`,
        { providerNumber },
        ['INVALID_PROVIDER_NUMBER', INVALID, 'MISSING_PROVIDER_NUMBER'],
      ],
    ),
    ...[
      'nonsense',
      'data:image/png;base64,***',
      'data:image/png;base64,',
      `data:image/jpeg;base64,${JPEG}`,
      `data:image/png;base64,${JPEG}`,
      JPEG,
      'data:image/svg+xml;base64,PHN2Zy8+',
      'https://example.com/a.png',
    ].map(
      (encodedSignature): WrongBody => [
        `signature ${encodedSignature}`,
        { encodedSignature },
        'INVALID_SIGNATURE',
      ],
    ),
    ['number as the signature', { encodedSignature: 5 }, ['INVALID_SIGNATURE', INVALID]],
    ...wrongValues(INVALID, { title: [5], phone: [5], email: [5] }),
  ])
}

function unknownNumber(endpoint: Endpoint, body?: object): Refusal[] {
  const request = {
    endpoint,
    situation: 'unknown provider number',
    id: '0000000X',
    code: 'PROVIDER_NOT_FOUND',
  }
  return [{ ...request, ...(body !== undefined && { body }) }]
}

function wrongRouting({ vendors: [vendor], practitioner, unsigned }: Samples): Refusal[] {
  const endpoint = endpoints.providers.requestRouting
  const attestation = { attestedBy: 'Practice manager', doctorSignedAt: '2025-03-01T09:00:00Z' }
  const good = { vendorIds: [vendor], attestation }
  const signed = (changes: Record<string, unknown>) => ({ attestation: { ...attestation, ...changes } })
  const none = 'NO_VENDORS_SELECTED'
  const missing = 'MISSING_ATTESTATION'
  if (practitioner === undefined) return []
  return [
    ...unknownNumber(endpoint, good),
    ...wrongBodies(
      endpoint,
      good,
      [
        ['routing without vendors', { vendorIds: undefined }, [none, INVALID]],
        ['empty list of vendors', { vendorIds: [] }, none],
        ['text as vendorIds', { vendorIds: vendor }, [none, INVALID]],
        ['unknown vendor', { vendorIds: [vendor, 'no-such-vendor'] }, 'UNKNOWN_VENDOR'],
        ['number in vendorIds', { vendorIds: [1] }, ['UNKNOWN_VENDOR', INVALID]],
        ['routing without an attestation', { attestation: undefined }, missing, 'attestation'],
        ['text as the attestation', { attestation: 'yes' }, [missing, INVALID]],
        ['empty attestation', { attestation: {} }, missing, 'attestedBy', 'doctorSignedAt'],
        ['blank attestedBy', signed({ attestedBy: '  ' }), missing, 'attestedBy'],
        ['attestation without a time', signed({ doctorSignedAt: undefined }), missing, 'doctorSignedAt'],
        ['doctorSignedAt in words', signed({ doctorSignedAt: 'yesterday' }), missing, 'doctorSignedAt'],
        [
          'doctorSignedAt on no day',
          signed({ doctorSignedAt: '2025-02-30T09:00:00Z' }),
          missing,
          'doctorSignedAt',
        ],
        ['number as the reference', signed({ reference: 5 }), [missing, INVALID]],
      ],
      { id: practitioner.providerNumber },
    ),
    ...(unsigned === undefined
      ? []
      : wrongBodies(endpoint, good, [['routing without a signature', {}, 'MISSING_SIGNATURE']], {
          id: unsigned,
        })),
  ]
}
