// Writes the API reports in etc/ from the built declarations: npm run api. With --check, it leaves etc/ unchanged and
// fails if a report is out of date: npm run api:check
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ENTRIES = ['index', 'forms', 'display', 'fhir', 'webhooks', 'redis', 'postgres', 'mirror', 'testing']
const QUIET = { default: { logLevel: ExtractorLogLevel.None } }

/** Returns the configuration of API Extractor for one entry. @param {string} entry */
function configOf(entry) {
  const declarations = `${ROOT}dist/${entry}.d.cts`
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${ROOT}package.json`,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: declarations,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            target: 'es2022',
            lib: ['es2023', 'esnext.disposable'],
            strict: true,
            types: ['node'],
            skipLibCheck: true,
          },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${entry}.api.md`,
        reportFolder: `${ROOT}etc`,
        reportTempFolder: `${ROOT}reports/api`,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: QUIET, tsdocMessageReporting: QUIET },
    },
  })
}

mkdirSync(`${ROOT}etc`, { recursive: true })
const localBuild = !process.argv.includes('--check')
const results = ENTRIES.map((entry) =>
  Extractor.invoke(configOf(entry), { localBuild, printApiReportDiff: true }),
)
if (!localBuild && results.some(({ apiReportChanged }) => apiReportChanged)) {
  console.error('The public surface has changed: run npm run api, and commit etc/.')
  process.exitCode = 1
}
