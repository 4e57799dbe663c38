import { SERVICE_RULES } from '../../src/testing/rules/index.js'

/** Titles of the interface's sections that have rules. */
const SECTIONS = {
  1: 'The service',
  2: 'Records',
  2.1: 'Addresses',
  2.2: 'Patients',
  2.3: 'Ordering practitioners',
  2.4: 'Referrals',
  2.5: 'Results',
  2.6: 'Biomarkers',
  2.7: 'Tests',
  2.8: 'Biomarkers of the catalogue',
  2.9: 'Bundles',
  '2.10': 'Provider records',
  2.11: 'Collection centres',
  2.12: 'Webhooks',
  2.13: 'Prices',
  2.14: 'Cursors',
  3.1: 'Status of a referral',
  3.2: 'Status of a result',
  3.3: 'Status of routing',
  3.4: 'Status of a centre',
  3.5: 'Status of a webhook',
  4.1: 'Orders and referrals',
  4.2: 'Reading results',
  4.3: 'The catalogue and prices',
  4.4: 'Providers and routing',
  4.5: 'Searching centres',
  4.6: 'Managing webhooks',
  4.7: 'Lists',
  5: 'Tokens',
  6: 'Events and deliveries',
  7: 'Errors',
  8: 'Limits',
  9: 'Versions',
}

const HEAD = `# Rules of the service

Each rule of the service under its section of the interface, with what [the fake](fake.md) does, and its tests in the repository. The last
column has what the interface leaves open, with the option of the fake that decides it, and limits of the fake.

Tests hold the fake to these rules over HTTP, and [\`npx pathology contract check\`](guides/command-line.md#comparing-an-environment-with-the-contract)
holds an environment to them.
`

/** @returns {string} */
export function rulesPage() {
  const sections = [...new Set(SERVICE_RULES.map(({ section }) => section))]
  return [HEAD, ...sections.map(sectionText)].join('\n')
}

/** @param {string} section */
function sectionText(section) {
  const title = new Map(Object.entries(SECTIONS)).get(section)
  if (title === undefined) throw new Error(`section ${section} has no title in rules.mjs`)
  const rows = SERVICE_RULES.filter((rule) => rule.section === section).map(
    ({ text, fake = '', open = '', tests = [], refusals, records }) => {
      const files = [...tests, ...(refusals || records ? ['conformance/rules'] : [])]
      const names = files.map((file) => `\`test/${file}.test.ts\``).join(', ')
      return `| ${text} | ${fake} | ${names} | ${open} |`
    },
  )
  return `## §${section} ${title}\n\n| Rule | In the fake | Tests | Left open, or limited |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
