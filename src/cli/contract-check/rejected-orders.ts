import type { ExpectedError } from './check-response.js'
import { type OrderParts, SAMPLE_CARD, sampleOrder, without } from './order-samples.js'

/** An order that the service must reject. */
export interface RejectedOrder {
  readonly situation: string
  readonly body: object
  readonly expected: ExpectedError
  readonly version?: string
}

const INVALID: ExpectedError = { status: 400, code: 'INVALID_PAYLOAD' }
/** Expected error of a case that the interface does not document: status and code are assumptions. */
const ASSUMED: ExpectedError = { ...INVALID, statusLevel: 'reading', codeLevel: 'reading' }

/** Returns an expected error whose code is documented without a status. The status 400 is an assumption. */
const withCode = (code: string): ExpectedError => ({ status: 400, code, statusLevel: 'reading' })

/** Returns the orders that the service must reject. The orders contain identifiers of the environment. */
export function rejectedOrders({ test, bundle, practitioner }: OrderParts): readonly RejectedOrder[] {
  const tests = [test]
  const medicare = { medicareTests: tests, medicareCardNumber: SAMPLE_CARD }
  const unregistered = { name: 'Contract Check', address: '1 Example Street', providerNumber: '0000000X' }
  return [
    { situation: 'empty order', body: {}, expected: INVALID },
    {
      situation: 'order without a last name',
      body: without(sampleOrder({ tests }), 'lastName'),
      expected: INVALID,
    },
    { situation: 'order without tests', body: sampleOrder({}), expected: INVALID },
    {
      situation: 'invalid date of birth',
      body: sampleOrder({ tests, dob: '31/01/1980' }),
      expected: INVALID,
    },
    {
      situation: 'invalid Medicare card number',
      body: sampleOrder({ tests, medicareCardNumber: '1234567890' }),
      expected: { status: 400, code: ['INVALID_MEDICARE_NUMBER', 'INVALID_PAYLOAD'] },
    },
    {
      situation: 'Medicare tests without a practitioner',
      body: sampleOrder(medicare),
      expected: { status: 400, code: 'MISSING_PROVIDER_NUMBER' },
    },
    {
      situation: 'Medicare tests with two problems',
      body: sampleOrder({ medicareTests: tests }),
      expected: INVALID,
    },
    {
      situation: 'unregistered provider number',
      body: sampleOrder({ ...medicare, orderingPractitioner: unregistered }),
      expected: withCode('INVALID_PROVIDER_NUMBER'),
    },
    {
      situation: 'unknown bundle',
      body: sampleOrder({ bundleId: 'no-such-bundle' }),
      expected: withCode('INVALID_BUNDLE_ID'),
    },
    { situation: 'unknown test', body: sampleOrder({ tests: ['no-such-test'] }), expected: ASSUMED },
    { situation: 'unknown field', body: { ...sampleOrder({ tests }), colour: 'red' }, expected: ASSUMED },
    {
      situation: 'Medicare tests in version 1.0.0',
      body: sampleOrder(medicare),
      expected: { ...INVALID, codeLevel: 'reading' },
      version: '1.0.0',
    },
    ...(bundle === undefined
      ? []
      : [
          {
            situation: 'bundle in version 1.0.0',
            body: sampleOrder({ bundleId: bundle }),
            expected: { ...INVALID, codeLevel: 'reading' as const },
            version: '1.0.0',
          },
        ]),
    ...(practitioner === undefined
      ? []
      : [
          {
            situation: 'Medicare card without its IRN',
            body: sampleOrder({
              medicareTests: tests,
              medicareCardNumber: SAMPLE_CARD.slice(0, 10),
              orderingPractitioner: practitioner,
            }),
            expected: { ...INVALID, codeLevel: 'reading' as const },
          },
        ]),
  ]
}
