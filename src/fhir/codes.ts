import type { CodeableConcept } from './types.js'

const HL7 = 'http://terminology.hl7.org/CodeSystem'
const AU = 'http://terminology.hl7.org.au/CodeSystem'
const AU_BASE = 'http://hl7.org.au/fhir/StructureDefinition'
const AU_CORE = 'http://hl7.org.au/fhir/core/StructureDefinition'
const EXTENSION = 'http://hl7.org/fhir/StructureDefinition'
const NATIONAL = 'http://ns.electronichealth.net.au/id'

export const SYSTEMS = {
  loinc: 'http://loinc.org',
  snomed: 'http://snomed.info/sct',
  ucum: 'http://unitsofmeasure.org',
} as const

export const EXTENSIONS = {
  dataAbsentReason: `${EXTENSION}/data-absent-reason`,
  precision: `${EXTENSION}/quantity-precision`,
  statusReason: `${EXTENSION}/request-statusReason`,
} as const

/** Profiles by resource: AU Base, and AU Core where every resource of this package conforms to it. */
export const PROFILES = {
  patient: [`${AU_BASE}/au-patient`, `${AU_CORE}/au-core-patient`],
  practitionerRole: [`${AU_BASE}/au-practitionerrole`, `${AU_CORE}/au-core-practitionerrole`],
  location: [`${AU_BASE}/au-location`, `${AU_CORE}/au-core-location`],
  request: [`${AU_BASE}/au-servicerequest`],
  observation: [`${AU_BASE}/au-pathologyresult`],
  codedObservation: [`${AU_BASE}/au-pathologyresult`, `${AU_CORE}/au-core-diagnosticresult-path`],
  report: [`${AU_BASE}/au-pathologyreport`],
} as const

function concept(system: string, code: string, display?: string): CodeableConcept {
  return { coding: [{ system, code, ...(display !== undefined && { display }) }] }
}

/** Returns a discipline of HL7's table 0074. */
export const discipline = (code: string): CodeableConcept => concept(`${HL7}/v2-0074`, code)

export const IDENTIFIERS = {
  medicareNumber: { type: concept(`${HL7}/v2-0203`, 'MC'), system: `${NATIONAL}/medicare-number` },
  dvaNumber: { type: concept(`${AU}/v2-0203`, 'DVAU'), system: `${NATIONAL}/dva` },
  providerNumber: { type: concept(`${AU}/v2-0203`, 'UPIN'), system: `${NATIONAL}/medicare-provider-number` },
} as const

/** Every other concept that this package writes. */
export const CONCEPTS = {
  laboratory: concept(`${HL7}/observation-category`, 'laboratory', 'Laboratory'),
  laboratoryReport: concept(SYSTEMS.loinc, '11502-2', 'Laboratory report'),
  laboratoryProcedure: concept(SYSTEMS.snomed, '108252007', 'Laboratory procedure'),
  unknown: concept(`${HL7}/data-absent-reason`, 'unknown', 'Unknown'),
  normal: concept(`${HL7}/v3-ObservationInterpretation`, 'N', 'Normal'),
  abnormal: concept(`${HL7}/v3-ObservationInterpretation`, 'A', 'Abnormal'),
  high: concept(`${HL7}/v3-ObservationInterpretation`, 'H', 'High'),
  low: concept(`${HL7}/v3-ObservationInterpretation`, 'L', 'Low'),
} as const

/** Returns the meaning of an additional range, if its id is a code in other spelling. */
export function rangeMeaning(id: string): CodeableConcept | undefined {
  const code = id.replace('-', '')
  if (/^(follicular|midcycle|luteal|postmenopausal)$/.test(code))
    return concept(`${HL7}/referencerange-meaning`, code)
  return undefined
}

/** Spellings of units that are UCUM codes as well, and spellings with another code. */
const SAME_UNITS = `% fL pg g/L mg/L ug/L ng/L g/dL mg/dL ug/dL ng/dL ug/mL ng/mL pg/mL mol/L mmol/L umol/L nmol/L
  pmol/L mmol/mol mg/mmol mg/g ug/g L/L U/L mm/h s mL/min`
const OTHER_UNITS = `ratio {ratio}, pH [pH], sec s, mm/hr mm/h, IU/L [IU]/L, mIU/L m[IU]/L, kIU/L k[IU]/L,
  IU/mL [IU]/mL, mL/min/1.73m2 mL/min/{1.73_m2}, mL/min/1.73m^2 mL/min/{1.73_m2}`

/** Spellings of cell counts, such as `x10^9/L` and `x 10*9/L`. */
const COUNT = /^(?:x ?)?10[*^](9|12)\/L$/

/**
 * UCUM codes by spelling. Only spellings with one meaning are here: UCUM accepts others, such as `U/mL` of an
 * immunoassay, and means something else.
 */
export const UNITS: ReadonlyMap<string, string> = new Map([
  ...SAME_UNITS.split(/\s+/).map((unit) => [unit, unit] as const),
  ...OTHER_UNITS.split(/,\s+/).map((row) => [row.replace(/ \S+$/, ''), row.replace(/^.* /, '')] as const),
])

/** Returns the UCUM code of a unit. Both micro signs, U+00B5 and U+03BC, count as `u`. */
export function ucumCode(unit: string, own: Readonly<Record<string, string>> = {}): string | undefined {
  if (Object.hasOwn(own, unit)) return own[unit]
  return (
    UNITS.get(unit.replace(/^[\u00B5\u03BC]/, 'u')) ??
    (COUNT.test(unit) ? unit.replace(COUNT, '10*$1/L') : undefined)
  )
}
