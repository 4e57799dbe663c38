// Pages of the site in the order of the side bar, by their paths in the repository. The title of a page is
// its first heading. A new guide needs one line here; test/docs/navigation.test.ts fails without it.

/** @typedef {{ readonly title: string, readonly pages: readonly string[] }} Group */

/** @type {readonly Group[]} */
export const GUIDES = [
  { title: 'Start', pages: ['docs/guides/getting-started.md', 'docs/guides/authentication.md'] },
  {
    title: 'Orders and results',
    pages: [
      'docs/guides/ordering.md',
      'docs/guides/unknown-orders.md',
      'docs/guides/job-queues.md',
      'docs/guides/medicare-ordering-and-routing.md',
      'docs/guides/results-and-documents.md',
      'docs/guides/collection-centres.md',
      'docs/guides/webhooks.md',
      'docs/guides/keep-a-copy.md',
      'docs/guides/recipes-in-sql.md',
      'docs/guides/scaling-out.md',
      'docs/guides/fhir.md',
    ],
  },
  {
    title: 'Tests',
    pages: [
      'docs/guides/testing-with-the-fake.md',
      'docs/fake.md',
      'docs/fake-options.md',
      'docs/fake-control-api.md',
      'docs/service-rules.md',
    ],
  },
  {
    title: 'Operation',
    pages: [
      'docs/guides/errors-and-retries.md',
      'docs/guides/paging.md',
      'docs/guides/tokens-in-a-fleet.md',
      'docs/guides/stores.md',
      'docs/guides/proxies-logs-and-metrics.md',
      'docs/guides/bundling.md',
      'docs/guides/command-line.md',
      'docs/guides/production-checklist.md',
      'docs/guides/openapi.md',
      'docs/guides/upgrading.md',
    ],
  },
  {
    title: 'Behaviour and measurements',
    pages: [
      'docs/endpoints.md',
      'docs/reliability.md',
      'docs/runtimes.md',
      'docs/benchmarks.md',
      'docs/benchmarks-mirror.md',
    ],
  },
]

/** Written pages of the reference. They stand before the pages that are made from the sources. */
export const REFERENCE = {
  title: 'Start here',
  pages: [
    'docs/twelve-methods.md',
    'docs/states.md',
    'docs/errors.md',
    'docs/retries.md',
    'docs/order-ledger.md',
    'docs/tokens.md',
    'docs/documents.md',
    'docs/lists.md',
    'docs/webhook-receiver.md',
    'docs/mirror.md',
    'docs/fhir.md',
    'docs/commands.md',
  ],
}

/** Pages about the project: files of the repository's root, and the decisions. */
export const PROJECT = {
  title: 'Project',
  pages: ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/decisions/README.md'],
}

/**
 * Files outside `docs/` that are pages of the site, by the page that `scripts/site` writes for each.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const COPIED_PAGES = {
  'CHANGELOG.md': 'docs/reference/project/changelog.md',
  'CONTRIBUTING.md': 'docs/reference/project/contributing.md',
  'SECURITY.md': 'docs/reference/project/security.md',
  'examples/README.md': 'docs/reference/examples/index.md',
}

/**
 * Words that readers search for and that the heading of the section does not contain. The search weighs them
 * like the heading.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
export const SEARCH_WORDS = {
  'docs/guides/ordering.md': {
    'check-an-order': 'form errors, patient form',
    'if-the-response-is-lost': 'lost order, unknown outcome',
    'a-job-that-may-run-twice': 'duplicate order, double order, double billing, idempotency',
  },
  'docs/guides/job-queues.md': {
    'three-rules': 'worker, background job',
    'parked-jobs': 'dead letter',
  },
  'docs/guides/keep-a-copy.md': {
    'in-a-test': 'mirror test',
    'what-a-handler-gets': 'change, inbox',
  },
  'docs/guides/webhooks.md': {
    'receive-deliveries': 'raw body, unparsed body',
    'verify-a-delivery': 'signature, signing secret, rotate secret',
    'deliver-to-your-machine': 'ngrok, tunnel, localhost',
    'nextjs-route-handler': 'next.js',
    'hono-bun-deno-workers': 'cloudflare workers',
    nestjs: 'nestjs',
  },
  'docs/guides/errors-and-retries.md': {
    retries: 'retry, retry table',
    'time-limits': 'timeout',
    'did-anything-change': 'ECONNRESET, connection reset',
    'rate-limits': '429',
    'errors-in-your-own-api': 'Express error handler, status code',
  },
  'docs/guides/medicare-ordering-and-routing.md': {
    '1-a-provider-record': 'signature image',
    '2-an-order': 'medicare irn',
  },
  'docs/guides/authentication.md': { credentials: 'sandbox, staging' },
  'docs/guides/testing-with-the-fake.md': { 'in-your-test-runner': 'playwright, vitest, jest' },
  'docs/guides/results-and-documents.md': { pdfs: 'documents, download, pdf expired, signed URL' },
}
