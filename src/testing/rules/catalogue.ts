import { endpoints } from '../../contract/endpoints.js'
import { identifierRefusals } from './identifiers.js'
import {
  type Refusal,
  type Samples,
  type ServiceRule,
  type WrongQuery,
  wrongBodies,
  wrongQueries,
} from './rule.js'

export const CATALOGUE_RULES: readonly ServiceRule[] = [
  {
    section: '3.2',
    text: 'A result is created, arrives in one or more parts, and can be held for review.',
    fake: 'The control methods `results.hold`, `release`, `review`, `complete`, `amend` and `softDelete` change a result. `reviewHold` holds each ordered result when a part of it or a correction arrives. The initial results are not held.',
    open: 'The transitions are not documented. The visible fields of a held result: `heldResults`.',
    tests: ['testing/domain/results', 'testing/console/console-reads'],
  },
  {
    section: '4.2',
    text: '`GET /v1/results/{uuid}` and `GET /v1/results` return ordered and incoming results.',
    fake: 'RESULT_NOT_FOUND for an unknown UUID. Paging is the same as in other lists.',
    open: 'The wrapper of the list (`resultListWrapper`) and its default order (`resultSortDefault`) are not documented.',
    tests: ['testing/domain/results'],
    refusals: () => identifierRefusals(endpoints.results.retrieve, 'RESULT_NOT_FOUND'),
  },
  {
    section: '4.3',
    text: '`GET /v1/tests` lists tests, with their biomarkers if `include` requests them.',
    fake: 'About sixty blood tests and some others. Unknown values of `include` are rejected.',
    open: 'The wrapper (`listWrapper`), and the tests in version 1.0.0 (`firstVersionTests`).',
    tests: ['testing/domain/catalogue'],
    refusals: wrongIncludes,
  },
  {
    section: '4.3',
    text: '`GET /v1/biomarkers` lists the biomarkers.',
    fake: 'More than a hundred biomarkers, with numeric and text values.',
    open: 'The wrapper of the list: `listWrapper`.',
    tests: ['testing/domain/catalogue'],
  },
  {
    section: '4.3',
    text: '`GET /v1/bundles` lists PUBLIC bundles, and PRIVATE bundles with `includeUnlisted`.',
    fake: 'The list is in order of creation. `includeUnlisted` accepts only `true` and `false`.',
    open: 'The default order: `bundleSortDefault`.',
    tests: ['testing/domain/catalogue'],
    refusals: wrongUnlisted,
  },
  {
    section: '4.3',
    text: '`POST /v1/calculate` calculates the price of tests, a bundle, or both.',
    fake: 'Each test is counted once. The error lists unknown tests and bundles.',
    tests: ['testing/domain/prices', 'testing/domain/catalogue'],
    refusals: wrongPrices,
  },
]

function wrongIncludes(): Refusal[] {
  return wrongQueries(
    endpoints.tests.list,
    ['colours', 'biomarkers,colours', 'Biomarkers'].map((include): WrongQuery => {
      return [`unknown include '${include}'`, { include }, 'include']
    }),
  )
}

function wrongUnlisted(): Refusal[] {
  return wrongQueries(
    endpoints.bundles.list,
    ['yes', '2'].map((value): WrongQuery => {
      return [`includeUnlisted=${value}`, { includeUnlisted: value }, 'includeUnlisted']
    }),
    { documented: false },
  )
}

function wrongPrices({ tests: [test] }: Samples): Refusal[] {
  const { calculate } = endpoints.prices
  return [
    ...wrongBodies(calculate, {}, [
      ['text as tests', { tests: 'x' }, 'INVALID_PAYLOAD', 'tests'],
      ['number in tests', { tests: [1] }, 'INVALID_PAYLOAD', 'tests'],
      ['unknown bundle', { bundleId: 'no-such-bundle' }, 'INVALID_BUNDLE_ID'],
      ['number as bundleId', { bundleId: 5 }, ['INVALID_PAYLOAD', 'INVALID_BUNDLE_ID']],
    ]),
    ...wrongBodies(
      calculate,
      {},
      [
        ['neither tests nor a bundle', {}, 'INVALID_PAYLOAD'],
        ['empty list of tests', { tests: [] }, 'INVALID_PAYLOAD'],
        ['unknown test', { tests: [test, 'no-such-test'] }, 'INVALID_PAYLOAD'],
      ],
      { documented: false },
    ),
  ]
}
