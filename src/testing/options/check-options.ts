import { OPTION_RULES } from './option-rules.js'

/**
 * Checks what a caller set against the rules of each option.
 *
 * @throws RangeError - With every problem, one a line.
 */
export function checkOptions(settings: object): void {
  const problems = Object.entries(settings).flatMap(([name, value]) => optionProblems(name, value))
  if (problems.length > 0) throw new RangeError(problems.join('\n'))
}

function optionProblems(name: string, value: unknown): string[] {
  const rule = new Map(Object.entries(OPTION_RULES)).get(name)
  if (rule === undefined) return [`the fake has no option '${name}'`]
  return value === undefined || rule.accepts(value) ? [] : [`option '${name}' must be ${rule.words}`]
}
