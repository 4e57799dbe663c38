import type { Finding } from '../doctor/finding.js'
import type { CommandRow } from '../shared/command.js'
import { type EnvironmentOptions, readEnvironment } from '../shared/environment.js'
import { type RowOptions, writeRows } from '../shared/output.js'
import { EXIT, type ExitCode, styled, type Terminal } from '../shared/terminal.js'

const MARKS = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  failure: ['red', 'failure'],
  skipped: ['dim', 'skipped'],
} as const

type DoctorOptions = Pick<RowOptions, 'json' | 'csv'> & EnvironmentOptions

export const commands: readonly CommandRow[] = [
  {
    prints: { json: 'print the findings as JSON', csv: 'print the findings as CSV' },
    examples: ['doctor', 'doctor --env-file staging.env --json'],
    run,
  },
]

async function run(terminal: Terminal, options: DoctorOptions): Promise<ExitCode> {
  const environment = readEnvironment(terminal, options)
  const { diagnose } = await import('../doctor/run.js')
  const findings = await diagnose(terminal, environment)
  if (options.json === true || options.csv === true) {
    await writeRows(terminal, options, { columns: ['check', 'status', 'message', 'fix'] }, findings)
  } else for (const finding of findings) writeFinding(terminal, finding)
  return findings.some(({ status }) => status === 'failure') ? EXIT.findings : EXIT.ok
}

function writeFinding(terminal: Terminal, { check, status, message, fix }: Finding): void {
  const [colour, mark] = MARKS[status]
  terminal.stdout.write(`${styled(terminal, colour, mark)}  ${check}: ${message}\n`)
  if (fix !== undefined) terminal.stdout.write(`         fix: ${fix}\n`)
}
