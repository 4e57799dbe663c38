import type { Finding } from '../verdict.js'
import type { Report } from './protocol.js'

/** Data of a stage after its end. */
export interface StageRecord {
  readonly keys: readonly string[]
  /** All reports of clients. */
  readonly reports: readonly Report[]
  /** Keys whose outcome stayed unknown until the test recorded it with `resolve`. */
  readonly settled: ReadonlySet<string>
  /** UUIDs of the referrals in the service, by key. */
  readonly placed: ReadonlyMap<string, readonly string[]>
  /** Number of orders that arrived at the service, by call. */
  readonly sendings: ReadonlyMap<string, number>
  readonly problems: readonly string[]
}

/** Compares the reports of the clients with the orders in the service. */
export function judgeStage(record: StageRecord): readonly Finding[] {
  const { keys, reports, placed, problems } = record
  const uuidsOf = (key: string): readonly string[] => placed.get(key) ?? []
  const reported = new Set(reports.filter(({ said }) => said === 'placed').map(({ key }) => key))
  return [
    { rule: 'doubled', broken: keys.filter((key) => uuidsOf(key).length > 1) },
    {
      rule: 'lost',
      broken: keys.filter((key) => uuidsOf(key).length === 0 || !reported.has(key)),
    },
    { rule: 'reported wrongly', broken: reports.flatMap((report) => wrongOf(report, record)) },
    { rule: 'other problems', broken: problems },
  ]
}

function wrongOf(report: Report, { placed, sendings }: StageRecord): string[] {
  const { key, call, said, uuids, isRecovered, error } = report
  const sent = sendings.get(call) ?? 0
  const there = placed.get(key) ?? []
  if (said === 'something else') return [`${key}: ${error}`]
  if (said === 'not placed' && sent > 0) return [`${key}: not placed, but ${call} sent it: ${error}`]
  if (said !== 'placed') return []
  if (uuids.length !== 1 || !there.includes(uuids[0] ?? ''))
    return [`${key}: said to be ${uuids.join()}, is ${there.join()}`]
  return isRecovered || sent > 0 ? [] : [`${key}: ${call} says that it placed it, but sent nothing`]
}
