import { fieldIssue, type IssueDraft } from '../issues.js'

type Fields = Readonly<Record<string, unknown>>

const POINT = ['lat', 'lng'] as const
const BOX = ['north', 'south', 'east', 'west'] as const

// §4.5
/** The rules of a centre search that span several of its parameters. */
export function centreQueryRules(query: Fields): IssueDraft[] {
  return [
    ...incomplete(query, POINT),
    ...incomplete(query, BOX),
    ...radiusIssues(query),
    ...edgeIssues(query),
  ]
}

function incomplete(query: Fields, group: readonly string[]): IssueDraft[] {
  const missing = group.filter((name) => query[name] === undefined)
  if (missing.length === 0 || missing.length === group.length) return []
  const given = group.filter((name) => query[name] !== undefined)
  return missing.map((name) =>
    fieldIssue([name], `is required with ${given.join(' and ')}`, { rule: 'required-with' }),
  )
}

function radiusIssues(query: Fields): IssueDraft[] {
  const point = POINT.every((name) => query[name] !== undefined)
  return query['radiusKm'] === undefined || point ? [] : [fieldIssue(['radiusKm'], 'needs lat and lng')]
}

function edgeIssues(query: Fields): IssueDraft[] {
  const { north, south, east, west } = query
  const issues: IssueDraft[] = []
  if (typeof north === 'number' && typeof south === 'number' && north < south) {
    issues.push(fieldIssue(['north'], 'must not be south of the south edge'))
  }
  if (typeof east === 'number' && typeof west === 'number' && east < west) {
    issues.push(
      fieldIssue(
        ['east'],
        'must not be west of the west edge; a box across the antimeridian is not supported',
      ),
    )
  }
  return issues
}
