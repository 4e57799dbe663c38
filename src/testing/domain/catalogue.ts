import { endpoints } from '../../contract/endpoints.js'
import { TEST_INCLUDES } from '../../contract/enums.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { MULTI_REFERRAL_VERSION } from '../../contract/versions.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { pageResponse, single, unknownParameters } from '../server/lists.js'
import { type BundleRecord, isBloodTest, type TestRecord } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import { biomarkerView, bundleView, testView } from './catalogue-views.js'

/** Handlers of `GET /v1/tests`, `/v1/biomarkers` and `/v1/bundles` (§4.3). */
export const handlers: HandlerTable<FakeContext> = {
  'tests.list': listTests,
  'biomarkers.list': listBiomarkers,
  'bundles.list': listBundles,
}

function listTests(context: FakeContext, call: FakeCall): unknown {
  const issues = unknownParameters(call.query, ['include'])
  const includes = readIncludes(call, issues)
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
  const { catalogue } = context.state
  const tests = catalogue.tests
    .filter((test) => isShown(context, call, test))
    .map((test) => testView(catalogue, test, includes.includes('biomarkers')))
  return { tests }
}

function isShown(context: FakeContext, call: FakeCall, test: TestRecord): boolean {
  if (context.options.firstVersionTests === 'all' || call.version >= MULTI_REFERRAL_VERSION) return true
  return isBloodTest(test)
}

function readIncludes(call: FakeCall, issues: IssueDraft[]): string[] {
  const names = call.query.getAll('include').flatMap((value) => value.split(','))
  const unknown = names.filter((name) => !TEST_INCLUDES.some((known) => known === name))
  if (unknown.length > 0) {
    issues.push(
      fieldIssue(['include'], `must be a comma-separated list of these values: ${TEST_INCLUDES.join(', ')}`),
    )
  }
  return names
}

function listBiomarkers(context: FakeContext): unknown {
  return { biomarkers: context.state.catalogue.biomarkers.map(biomarkerView) }
}

function listBundles(context: FakeContext, call: FakeCall): unknown {
  const issues: IssueDraft[] = []
  const unlisted = readIncludeUnlisted(call, issues)
  const shows = (bundle: BundleRecord): boolean =>
    bundle.organisation === 'own' && (unlisted || bundle.visibility === 'PUBLIC')
  const { catalogue } = context.state
  return pageResponse(call, {
    endpoint: endpoints.bundles.list,
    rows: catalogue.bundles,
    view: (bundle) => bundleView(catalogue, bundle),
    shows,
    sortDefault: context.options.bundleSortDefault,
    fingerprint: String(unlisted),
    filters: ['includeUnlisted'],
    issues,
  })
}

function readIncludeUnlisted(call: FakeCall, issues: IssueDraft[]): boolean {
  const text = single(call.query, 'includeUnlisted', issues)
  if (text !== undefined && text !== 'true' && text !== 'false') {
    issues.push(fieldIssue(['includeUnlisted'], 'must be true or false'))
  }
  return text === 'true'
}
