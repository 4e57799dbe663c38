/** A rule that no package checks, as a FHIRPath expression that is true for a valid resource. */
export interface Rule {
  readonly name: string
  /** Type of resource. */
  readonly on: string
  /** The rule holds for resources that claim a profile whose URL ends so. Default: all. */
  readonly claims?: string
  readonly expression: string
}

const ABSENT = "extension.where(url = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason').exists()"
const core = (on: string, profile: string, rules: Readonly<Record<string, string>>): Rule[] =>
  Object.entries(rules).map(([name, expression]) => ({
    name: `AU Core ${name}`,
    on,
    claims: profile,
    expression,
  }))

/** AU Core 2.0.0 is in no registry, so that its mandatory elements and invariants are written out here. */
const AU_CORE: readonly Rule[] = [
  ...core('Observation', '/au-core-diagnosticresult-path', {
    status: 'status.exists()',
    'category:lab':
      "category.where(coding.where(system = 'http://terminology.hl7.org/CodeSystem/observation-category' and code = 'laboratory').exists()).count() = 1",
    code: 'code.coding.exists() or code.text.exists()',
    'code of LOINC or SNOMED CT':
      "code.coding.where(system = 'http://loinc.org' or system = 'http://snomed.info/sct').exists()",
    subject: 'subject.exists()',
    effective: 'effective.exists()',
    'au-core-obs-01':
      'value.exists() or dataAbsentReason.exists() or hasMember.exists() or component.exists()',
    'au-core-obs-02': `effective.all((hasValue().not() and ${ABSENT}) or (hasValue() and $this.toString().length() >= 10))`,
    'value or reason, not both': '(value.exists() and dataAbsentReason.exists()).not()',
  }),
  ...core('Patient', '/au-core-patient', {
    'au-core-pat-01': `identifier.exists() and identifier.all((system.exists() and value.exists()) or ${ABSENT})`,
    'au-core-pat-02': `name.exists() and name.all(text.exists() or family.hasValue() or family.${ABSENT})`,
    gender: 'gender.hasValue()',
    birthDate: `birthDate.hasValue() or birthDate.${ABSENT}`,
  }),
  ...core('PractitionerRole', '/au-core-practitionerrole', {
    practitioner: 'practitioner.count() = 1',
    'au-core-prarol-01': 'practitioner.all(reference.exists() or identifier.exists() or display.exists())',
    'one Medicare provider number':
      "identifier.where(system = 'http://ns.electronichealth.net.au/id/medicare-provider-number').count() <= 1",
  }),
  ...core('Location', '/au-core-location', {
    'au-core-loc-01': 'identifier.exists() or address.exists() or type.exists()',
  }),
]

export const RULES: readonly Rule[] = [
  ...AU_CORE,
  {
    name: 'att-1',
    on: 'DiagnosticReport',
    expression: 'presentedForm.all(data.empty() or contentType.exists())',
  },
  { name: 'family or reason', on: 'Patient', expression: 'name.all(family.exists() or text.exists())' },
]

const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0203'
const AU_V2 = 'http://terminology.hl7.org.au/CodeSystem/v2-0203'

/** Types of the health system's identifiers, by the last part of their systems. */
const IDENTIFIER_TYPES: Readonly<Record<string, RegExp>> = {
  'medicare-number': new RegExp(`^${V2} MC$`),
  dva: new RegExp(`^${AU_V2} (DVAU|DVG|DVL|DVO|DVW)$`),
  'medicare-provider-number': new RegExp(`^${AU_V2} UPIN$`),
}
const NATIONAL = 'http://ns.electronichealth.net.au/id/'

interface Parts {
  readonly system?: unknown
  readonly code?: unknown
  readonly value?: unknown
  readonly type?: { readonly coding?: readonly { readonly system?: string; readonly code?: string }[] }
}

/** Faults of one element that the validators miss: no system (qty-3, cpt-2), or a wrong type of an identifier. */
function elementProblems({ system, code, value, type }: Parts, path: string): string[] {
  if (system === undefined)
    return [
      ...(code !== undefined && value !== undefined ? [`rule: ${path}: qty-3`] : []),
      ...(/telecom\.\d+$/.test(path) ? [`rule: ${path}: cpt-2`] : []),
    ]
  if (typeof system !== 'string' || !system.startsWith(NATIONAL)) return []
  const types = (type?.coding ?? []).map((coding) => `${coding.system} ${coding.code}`)
  const form = IDENTIFIER_TYPES[system.slice(NATIONAL.length)]
  return types.some((text) => form?.test(text)) ? [] : [`rule: ${path}: type of the identifier`]
}

const TIMES = new Set(['issued', 'authoredOn', 'effectiveDateTime'])

/** Returns faults of the JSON that no expression can see: forbidden values, two values, times without a zone. */
export function jsonProblems(value: unknown, path = ''): string[] {
  if (value === null || value === '' || value === undefined) return [`json: ${path} is empty`]
  if (typeof value === 'number' && /e/i.test(String(value))) return [`json: ${path} has an exponent`]
  if (typeof value !== 'object') return []
  const entries = Object.entries(value)
  const values = entries.filter(([name]) => /^value[A-Z]/.test(name))
  return [
    ...elementProblems(value, path),
    ...['low', 'high'].flatMap((name) =>
      typeof Reflect.get(value, name) === 'number' ? [`json: ${path}.${name} is not an object`] : [],
    ),
    ...(entries.length === 0 ? [`json: ${path} is empty`] : []),
    ...(values.length > 1 ? [`json: ${path} has two values`] : []),
    ...entries.flatMap(([name, entry]) =>
      TIMES.has(name) &&
      typeof entry === 'string' &&
      !/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(entry)
        ? [`json: ${path}.${name} has no zone`]
        : jsonProblems(entry, `${path}.${name}`),
    ),
  ]
}
