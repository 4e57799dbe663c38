import { createHmac } from 'node:crypto'
import { referral } from '../lib/bodies.mjs'

/** Records of the service, and deliveries that announce them. All persons are fictional. */

/** @typedef {'referral' | 'result'} Kind */
/** @typedef {{ readonly uuid: string, readonly body: Buffer, readonly headers: Record<string, string> }} Delivery */

export const SECRET = 'bench-signing-secret'

const UPDATED_AT = '2026-01-05T00:00:00.000Z'
const BIOMARKERS = 20
const SAMPLE = referral(1)

/** @param {number} index */
export function uuidOf(index) {
  return `0b0e8f1c-1111-4222-8333-${String(index).padStart(12, '0')}`
}

/** @param {number} index */
function biomarker(index) {
  return {
    id: `biomarker-${index}`,
    name: `Biomarker ${index}`,
    commonName: `Biomarker ${index}`,
    description: 'A biomarker of the benchmark.',
    object: 'biomarker',
    value: String(index + 0.5),
    formattedValue: `${index + 0.5} g/L`,
    valueType: 'numeric',
    subValueType: null,
    unit: 'g/L',
    mostCommonUnit: 'g/L',
    sampleType: 'blood',
    notes: null,
    refIntervalHigh: 30,
    refIntervalLow: 1,
    additionalRanges: null,
    isAbnormal: false,
    category: { id: 'blood', name: 'Blood', description: 'Blood', object: 'biomarker-category' },
    canonical: {
      status: 'NATIVE',
      reason: null,
      value: index + 0.5,
      formattedValue: `${index + 0.5} g/L`,
      unit: 'g/L',
      subValueType: null,
      refIntervalHigh: 30,
      refIntervalLow: 1,
      additionalRanges: null,
      isAbnormal: false,
    },
  }
}

function result() {
  const { person, reference, referenceNumber, metadata } = SAMPLE
  return {
    ...{ uuid: SAMPLE.uuid, object: 'result', provenance: 'REFERRAL', referralUuid: SAMPLE.uuid },
    ...{ referenceNumber, reference, status: 'COMPLETE', person, labPatient: null, metadata },
    ...{ productId: null, productName: null, resultAttachment: null, report: null },
    ...{ createdAt: UPDATED_AT, updatedAt: UPDATED_AT, deletedAt: null, resultDate: UPDATED_AT },
    reviewedBy: null,
    biomarkerSummary: { normal: BIOMARKERS, abnormal: 0, critical: 0, total: BIOMARKERS },
    biomarkers: Array.from({ length: BIOMARKERS }, (_, index) => biomarker(index)),
  }
}

const TEXTS = { referral: JSON.stringify(SAMPLE), result: JSON.stringify(result()) }

/**
 * Returns a record as JSON. Records of one kind differ only in their UUID.
 * @param {Kind} kind
 * @param {string} uuid
 */
export function recordText(kind, uuid) {
  return TEXTS[kind].replaceAll(SAMPLE.uuid, uuid)
}

/**
 * Creates signed deliveries: one event for each of `count` records.
 * @param {Kind} kind
 * @param {number} from
 * @param {number} count
 * @returns {Delivery[]}
 */
export function deliveries(kind, from, count) {
  return Array.from({ length: count }, (_, index) => {
    const uuid = uuidOf(from + index)
    const event = {
      eventName: kind === 'referral' ? 'referral.issued' : 'result.complete',
      eventUuid: uuid.replace(/^.{8}/, kind === 'referral' ? '5f3c7e52' : '6f3c7e52'),
      version: '1.0',
      data: { uuid, object: kind, status: 'ISSUED', updatedAt: UPDATED_AT },
    }
    const body = Buffer.from(JSON.stringify(event))
    const signature = createHmac('sha256', SECRET).update(body).digest('hex')
    return {
      uuid,
      body,
      headers: { 'content-type': 'application/json', 'x-svc-hmac-sha256': signature },
    }
  })
}
