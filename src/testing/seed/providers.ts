import { isKnownConnectionStatus } from '../../contract/enums.js'
import type { Organisation } from '../state/orders.js'
import type { ConnectionRecord, ProviderRecord } from '../state/providers.js'
import { cellOf, listCell, numberCell, optionalCell, readTable } from './tables.js'

/** Signature of the initial doctors: a PNG of a line. */
export const SEED_SIGNATURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAGAAAAAgAQAAAADFu0D5AAAAkUlEQVR42rXQsQ3CQAyFYXeUjJCSmpKKcTJAihQg0iBRMhZlxmCAK9Dp7PfDBSFuALDcfIXlZxtN2c9xbbFpMTTQoUV+za1rG3jAuYe+Ihy2CQ0LhKaCl4rCJDKRsaDQOUH2isQtcA3qTDxIgXwFJu7k8t5smmaiwLgkOO1RWiJgHEHjJ9vue4Rx+Z5nzP964hNycWprSrjU/wAAAABJRU5ErkJggg=='

/*
 * Columns: number | name | title | address | s for a signature | api, portal, or other for another organisation |
 * days since the creation | vendors with their routing status. The table does not contain the example numbers of the
 * documentation, so that an example creates a new record.
 */
const PROVIDER_TABLE = `
5731046F | Dr Amelia Hartono   | Dr   | Suite 4, 120 Collins Street, Melbourne VIC 3000 | s | api    | 420 | lowanna-pathology CONNECTED, currawong-health CONNECTED
6183272X | Dr Banjo Whitfield  | Dr   | 18 Marine Parade, Southport QLD 4215            | s | api    | 400 |
2415327K | Dr Carys Llewellyn  | Dr   | 77 Hay Street, Subiaco WA 6008                  |   | portal | 380 |
3187452A | Dr Dev Raghunathan  | Dr   | Level 2, 9 Rundle Mall, Adelaide SA 5000        | s | portal | 360 | tallowwood-diagnostics PENDING_CONFIRMATION, meridian-south NOT_SUBMITTED
5120986A | Dr Elif Demir       | Dr   | 41 Elizabeth Street, Hobart TAS 7000            | s | api    | 340 | currawong-health ACTION_NEEDED, lowanna-pathology STOP_REQUESTED
2738140L | Dr Finn Gallagher   | Dr   | 3 Knuckey Street, Darwin NT 0800                | s | portal | 320 | meridian-south CONNECTED
460218AA | A/Prof Grace Okafor | A/Prof | 15 London Circuit, Canberra ACT 2601          | s | api    | 300 | tallowwood-diagnostics CONNECTED
2051937T | Dr Hana Kobayashi   | Dr   | 212 Crown Street, Wollongong NSW 2500           | s | api    | 290 |
3396821X | Dr Isaac Brennan    | Dr   | 60 Hunter Street, Newcastle NSW 2300            |   | portal | 280 |
2299014J | Dr Jia Hui Lim      | Dr   | 8 Church Street, Parramatta NSW 2150            | s | api    | 270 |
5547763J | Dr Kofi Mensah      | Dr   | 130 Lonsdale Street, Dandenong VIC 3175         | s | api    | 260 |
218845KT | Dr Lena Sorensen    | Dr   | 24 Ryrie Street, Geelong VIC 3220               | s | portal | 250 |
2604418A | Dr Mateo Vargas     | Dr   | 5 Sturt Street, Ballarat VIC 3350               | s | api    | 240 |
2873305H | Dr Nadia Petrov     | Dr   | 90 Flinders Street, Townsville QLD 4810         | s | api    | 230 |
3051172F | Dr Oscar Lindqvist  | Dr   | 33 Abbott Street, Cairns QLD 4870               | s | api    | 220 |
4418093Y | Dr Priya Menon      | Dr   | 11 Ruthven Street, Toowoomba QLD 4350           |   | portal | 210 |
456120BK | Dr Quentin Marsh    | Dr   | 7 Brisbane Street, Launceston TAS 7250          | s | api    | 200 |
2190847W | Dr Rosa Castellano  | Dr   | 52 Victoria Street, Bunbury WA 6230             | s | api    | 190 |
2334561J | Dr Samir Haddad     | Dr   | 140 Hannan Street, Kalgoorlie WA 6430           | s | api    | 180 |
3620915K | Dr Tess O'Rourke    | Dr   | 28 Commercial Street, Mount Gambier SA 5290     | s | portal | 170 |
5083374H | Dr Uma Krishnan     | Dr   | 66 Todd Street, Alice Springs NT 0870           | s | api    | 160 |
241906TX | Dr Viktor Novak     | Dr   | 19 Baylis Street, Wagga Wagga NSW 2650          | s | api    | 150 |
2957728H | Dr Wren Callaghan   | Dr   | 4 Byron Street, Lismore NSW 2480                | s | api    | 140 |
9900117H | Dr Xavier Elsewhere | Dr   | 1 Elsewhere Road, Sydney NSW 2000               | s | other  | 130 | lowanna-pathology CONNECTED
3715048T | Dr Yasmin Elsewhere | Dr   | 2 Elsewhere Road, Sydney NSW 2000               | s | other  | 120 |
`

const DAY_MS = 24 * 60 * 60 * 1_000

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Returns the initial provider records, oldest first: with and without signature, and in every routing status. */
export function seedProviders(now: number): ProviderRecord[] {
  return readTable(PROVIDER_TABLE).map((row, place) => toRecord(row, place + 1, now))
}

function toRecord(row: readonly string[], sequence: number, now: number): ProviderRecord {
  const createdAt = now - numberCell(row, 6) * DAY_MS
  const signed = optionalCell(row, 4) === 's'
  const name = cellOf(row, 1)
  return {
    sequence,
    organisation: organisationOf(row),
    source: cellOf(row, 5) === 'portal' ? 'portal' : 'api',
    providerNumber: cellOf(row, 0),
    name,
    title: cellOf(row, 2),
    address: cellOf(row, 3),
    phone: `02 5550 ${String(1_000 + sequence * 37)}`,
    email: `${name
      .split(' ')
      .slice(1)
      .join('.')
      .toLowerCase()
      .replace(/[^a-z.]/g, '')}@clinic.example`,
    signature: signed ? SEED_SIGNATURE : null,
    signatureSignedAt: signed ? dayOf(createdAt) : null,
    createdAt: dayOf(createdAt),
    updatedAt: dayOf(createdAt),
    connections: listCell(row, 7).map((cell) => toConnection(cell, name, createdAt)),
  }
}

function organisationOf(row: readonly string[]): Organisation {
  return cellOf(row, 5) === 'other' ? 'other' : 'own'
}

function toConnection(cell: string, doctor: string, createdAt: number): ConnectionRecord {
  const [vendorId = '', status = ''] = cell.split(' ')
  if (!isKnownConnectionStatus(status)) throw new RangeError(`not a connection status: ${cell}`)
  const wasConfirmed = status === 'CONNECTED' || status === 'STOP_REQUESTED'
  return {
    vendorId,
    status,
    consentedAt: dayOf(createdAt + DAY_MS),
    confirmedAt: wasConfirmed ? dayOf(createdAt + 15 * DAY_MS) : null,
    actionNeededReason: status === 'ACTION_NEEDED' ? SEED_REASON : null,
    attestation: {
      attestedBy: `Practice manager of ${doctor}`,
      doctorSignedAt: dayOf(createdAt),
      reference: null,
    },
  }
}

const SEED_REASON = 'The laboratory holds another address for this provider number'
