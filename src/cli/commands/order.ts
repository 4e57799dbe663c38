import { API_VERSIONS, type ApiVersion, isApiVersion, SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import type { CommandRow } from '../shared/command.js'
import { readJson } from '../shared/files.js'
import { formatOf, type RowOptions, writeRows } from '../shared/output.js'
import { EXIT, type ExitCode, type Terminal, UsageError } from '../shared/terminal.js'

interface ValidateOptions extends RowOptions {
  readonly apiVersion: string
}

/** One problem of one order. The problem contains no value of the order. */
interface Problem {
  /** Position of the order in the file, from 1. */
  readonly order: number
  readonly field: string | undefined
  readonly message: string
  /** Name of the rule that the field breaks. */
  readonly rule: string
}

export const commands: readonly CommandRow[] = [
  {
    name: 'validate <file>',
    summary: 'check an order, or a list of orders, in a JSON file; - reads standard input. Sends nothing',
    isOffline: true,
    prints: 'rows',
    options: [
      ['--api-version <version>', `version of the API: ${API_VERSIONS.join(' or ')}`, SDK_DEFAULT_VERSION],
    ],
    examples: ['order validate order.json'],
    run: validate,
  },
]

async function validate(terminal: Terminal, file: string, options: ValidateOptions): Promise<ExitCode> {
  const { apiVersion } = options
  if (!isApiVersion(apiVersion)) throw new UsageError(`--api-version must be ${API_VERSIONS.join(' or ')}`)
  const content = await readJson(terminal, file)
  const orders: readonly unknown[] = Array.isArray(content) ? content : [content]
  const problems = await problemsOf(orders, apiVersion)
  if (problems.length === 0 && formatOf(terminal, options) === 'table') {
    terminal.stdout.write(
      `${orders.length === 1 ? 'The order is valid' : `${orders.length} orders are valid`}\n`,
    )
    return EXIT.ok
  }
  await writeRows(terminal, options, { columns: ['order', 'field', 'rule', 'message'] }, problems)
  return problems.length === 0 ? EXIT.ok : EXIT.findings
}

async function problemsOf(orders: readonly unknown[], version: ApiVersion): Promise<Problem[]> {
  const { checkOrder } = await import('../../forms/order-schema.js')
  const problems: Problem[] = []
  for (const [index, order] of orders.entries()) {
    const { issues } = checkOrder(order, version)
    problems.push(...issues.map(({ field, message, rule }) => ({ order: index + 1, field, rule, message })))
  }
  return problems
}
