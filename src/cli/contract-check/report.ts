import { VERSION } from '../../client/resolve-options.js'
import type { DifferenceLevel, FieldDifference } from '../../contract/field-differences.js'

/**
 * A difference between a response and the contract. The difference contains types, statuses and codes, never a value of
 * a record.
 */
export interface Difference extends FieldDifference {
  /** Endpoint, such as `referrals.list`. */
  readonly endpoint: string
  /** The checked situation, such as `unknown UUID`. */
  readonly case: string
  /** Number of responses or records with this difference. */
  readonly times: number
}

/** Result of a contract check, as JSON. */
export interface ContractReport {
  readonly tool: string
  readonly checkedAt: string
  readonly environment: 'staging' | 'production'
  /** `true` when the check created a record, or got a 5xx response to a request that creates a record. */
  readonly wrote: boolean
  readonly differences: readonly Difference[]
  /** Number of requests and of compared records by endpoint. */
  readonly checked: Readonly<Record<string, { readonly requests: number; readonly records: number }>>
  readonly notChecked: readonly { readonly endpoint: string; readonly reason: string }[]
}

/** Place in the report to which the differences of a response are added. */
export interface ReportPlace {
  /** Adds differences of one response or record, whose paths begin with the prefix. */
  readonly add: (found: readonly FieldDifference[], prefix?: string) => void
  /** Adds a difference unless `holds`. The default level is `contract`. Returns `holds`. */
  readonly expect: (
    holds: boolean,
    path: string,
    expected: string,
    seen: string,
    level?: DifferenceLevel,
  ) => boolean
}

/** Collection of the differences of one check. It counts equal differences. */
export class DifferenceReport {
  readonly #differences = new Map<string, Difference>()
  readonly #checked = new Map<string, { requests: number; records: number }>()
  readonly #notChecked = new Map<string, string>()

  at(endpoint: string, situation: string): ReportPlace {
    const add: ReportPlace['add'] = (found, prefix = '') => {
      for (const each of found) this.#add(endpoint, situation, { ...each, path: joined(prefix, each.path) })
    }
    return {
      add,
      expect(holds, path, expected, seen, level = 'contract') {
        if (!holds) add([{ level, path, expected, seen }])
        return holds
      },
    }
  }

  countRequest(endpoint: string): void {
    this.#count(endpoint).requests += 1
  }

  countRecords(endpoint: string, number: number): void {
    this.#count(endpoint).records += number
  }

  notChecked(endpoint: string, reason: string): void {
    this.#notChecked.set(endpoint, reason)
  }

  result(facts: Pick<ContractReport, 'environment' | 'wrote'> & { readonly now: number }): ContractReport {
    const order: readonly DifferenceLevel[] = ['contract', 'reading', 'addition']
    const differences = [...this.#differences.values()].sort(
      (one, other) => order.indexOf(one.level) - order.indexOf(other.level),
    )
    return {
      tool: `pathology-sdk ${VERSION}`,
      checkedAt: new Date(facts.now).toISOString(),
      environment: facts.environment,
      wrote: facts.wrote,
      differences,
      checked: Object.fromEntries(this.#checked),
      notChecked: [...this.#notChecked].map(([endpoint, reason]) => ({ endpoint, reason })),
    }
  }

  #add(endpoint: string, situation: string, { level, path, expected, seen }: FieldDifference): void {
    const key = JSON.stringify([endpoint, situation, path, expected, seen])
    const times = (this.#differences.get(key)?.times ?? 0) + 1
    this.#differences.set(key, { endpoint, case: situation, level, path, expected, seen, times })
  }

  #count(endpoint: string): { requests: number; records: number } {
    const count = this.#checked.get(endpoint) ?? { requests: 0, records: 0 }
    this.#checked.set(endpoint, count)
    return count
  }
}

function joined(prefix: string, path: string): string {
  return [prefix, path].filter((part) => part !== '').join('.')
}
