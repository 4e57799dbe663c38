import { cellOf, listCell, numberCell, readTable } from './tables.js'

/** A laboratory company (§2.10). */
export interface VendorSeed {
  readonly id: string
  readonly name: string
  /** Transmission route of the laboratory's results, for people to read. */
  readonly route: string
}

/** The brand of a collection centre (§2.11). */
export interface BrandSeed {
  readonly id: string
  readonly name: string
  readonly vendorId: string
  /** Relative number of centres of this brand, compared to the other brands of a state. */
  readonly weight: number
  readonly states: readonly string[]
}

/** The four vendors. The companies are invented. */
export const VENDORS: readonly VendorSeed[] = [
  {
    id: 'lowanna-pathology',
    name: 'Lowanna Pathology',
    route: 'HL7 messages over a secure messaging network, within minutes of release',
  },
  {
    id: 'meridian-south',
    name: 'Meridian South Laboratories',
    route: 'HL7 messages over a secure messaging network, hourly batches',
  },
  {
    id: 'currawong-health',
    name: 'Currawong Health Laboratories',
    route: 'PIT reports by secure file transfer, four times a day',
  },
  {
    id: 'tallowwood-diagnostics',
    name: 'Tallowwood Diagnostics',
    route: 'FHIR diagnostic reports over a direct connection, as they are released',
  },
]

const BRAND_TABLE = `
lowanna-pathology         | Lowanna Pathology         | lowanna-pathology      | 8  | NSW,VIC,QLD,ACT,TAS
meridian-south            | Meridian South            | meridian-south         | 9  | NSW,VIC,QLD,SA,WA,ACT,NT
harbourside-pathology     | Harbourside Pathology     | currawong-health       | 11 | NSW,ACT
yarra-ridge-pathology     | Yarra Ridge Pathology     | currawong-health       | 12 | VIC
sunbird-pathology         | Sunbird Pathology         | currawong-health       | 12 | QLD
saltbush-laboratories     | Saltbush Laboratories     | currawong-health       | 12 | SA,NT
quokka-coast-pathology    | Quokka Coast Pathology    | currawong-health       | 12 | WA
derwent-valley-pathology  | Derwent Valley Pathology  | currawong-health       | 14 | TAS
bluegum-pathology-nsw     | Bluegum Pathology (NSW)   | tallowwood-diagnostics | 10 | NSW,ACT
bluegum-pathology-qld     | Bluegum Pathology (QLD)   | tallowwood-diagnostics | 9  | QLD
ironbark-laboratories     | Ironbark Laboratories     | tallowwood-diagnostics | 7  | NSW,VIC
wattlebird-pathology      | Wattlebird Pathology      | tallowwood-diagnostics | 9  | VIC,TAS
kingfisher-clinical-labs  | Kingfisher Clinical Labs  | tallowwood-diagnostics | 8  | QLD,NSW
gulf-and-plains-pathology | Gulf and Plains Pathology | tallowwood-diagnostics | 9  | SA
karri-pathology           | Karri Pathology           | tallowwood-diagnostics | 10 | WA
limestone-plains-labs     | Limestone Plains Labs     | tallowwood-diagnostics | 8  | ACT,NSW
top-end-pathology         | Top End Pathology         | tallowwood-diagnostics | 14 | NT
brindabella-pathology     | Brindabella Pathology     | tallowwood-diagnostics | 6  | ACT,NSW,VIC
`

/** The eighteen brands: one for each of the first two vendors, six for the third, ten for the fourth (§4.5). */
export const BRANDS: readonly BrandSeed[] = readTable(BRAND_TABLE).map((row) => ({
  id: cellOf(row, 0),
  name: cellOf(row, 1),
  vendorId: cellOf(row, 2),
  weight: numberCell(row, 3),
  states: listCell(row, 4),
}))

export function vendorSeed(id: string): VendorSeed | undefined {
  return VENDORS.find((vendor) => vendor.id === id)
}

export function brandSeed(id: string): BrandSeed | undefined {
  return BRANDS.find((brand) => brand.id === id)
}
