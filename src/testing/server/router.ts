import type { ServicePart } from './http.js'
import { ROUTES, type Route } from './routes.js'

/** The route of a request, or the reason why there is none. */
export type RouteMatch =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  /** The path exists, but only with other methods. */
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  /** The path does not exist. `similar` lists routes with similar paths; if there are none, all routes of the part. */
  | { readonly kind: 'path'; readonly similar: readonly string[] }

/** Finds the route of a method and a path without its query. */
export type Router = (part: ServicePart, method: string, path: string) => RouteMatch

interface PathRow {
  readonly method: string
  readonly path: string
}

interface Node<Row> {
  readonly fixed: Map<string, Node<Row>>
  parameter: { readonly name: string; readonly node: Node<Row> } | undefined
  readonly rows: Map<string, Row>
}

/** A path: its rows by method, and the values of its parameters. */
interface FoundPath<Row> {
  readonly rows: ReadonlyMap<string, Row>
  readonly params: Readonly<Record<string, string>>
}

const NO_PARAMETERS: Readonly<Record<string, string>> = {}

export function createRouter(): Router {
  const pathsOf = (wanted: ServicePart) => createPaths(ROUTES.filter(({ part }) => part === wanted))
  const parts = { api: pathsOf('api'), auth: pathsOf('auth'), documents: pathsOf('documents') }
  return (part, method, path) => {
    const found = parts[part](path)
    if (found === undefined) return { kind: 'path', similar: similarRoutes(part, path) }
    const route = found.rows.get(method)
    if (route === undefined) return { kind: 'method', allowed: [...found.rows.keys()] }
    return { kind: 'found', route, params: found.params }
  }
}

/** Returns a function that finds the rows of a path with one lookup for each path segment. */
export function createPaths<Row extends PathRow>(
  rows: readonly Row[],
): (path: string) => FoundPath<Row> | undefined {
  const root = createNode<Row>()
  for (const row of rows) nodeOf(root, row.path).rows.set(row.method, row)
  return (path) => descend(root, path)
}

function createNode<Row>(): Node<Row> {
  return { fixed: new Map(), parameter: undefined, rows: new Map() }
}

function nodeOf<Row>(root: Node<Row>, path: string): Node<Row> {
  let node = root
  for (const segment of path.split('/').slice(1)) {
    if (segment.startsWith('{')) {
      node.parameter ??= { name: segment.slice(1, -1), node: createNode() }
      node = node.parameter.node
    } else {
      const next: Node<Row> = node.fixed.get(segment) ?? createNode()
      node.fixed.set(segment, next)
      node = next
    }
  }
  return node
}

function descend<Row>(root: Node<Row>, path: string): FoundPath<Row> | undefined {
  let node = root
  let params = NO_PARAMETERS
  for (const segment of path.split('/').slice(1)) {
    const fixed = node.fixed.get(segment)
    if (fixed !== undefined) {
      node = fixed
      continue
    }
    if (node.parameter === undefined || segment === '') return undefined
    params = { ...params, [node.parameter.name]: decode(segment) }
    node = node.parameter.node
  }
  return node.rows.size === 0 ? undefined : { rows: node.rows, params }
}

/** Decodes a segment of a path. If it cannot be decoded, returns it unchanged, and it matches no record. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function similarRoutes(part: ServicePart, path: string): string[] {
  const here = ROUTES.filter((route) => route.part === part)
  const words = path.toLowerCase().split(/[^a-z0-9]+/)
  const similar = here.filter(({ path: template }) =>
    template
      .split(/[^a-z0-9]+/)
      .some((word) => word.length > 2 && words.some((other) => isAlike(word, other))),
  )
  return (similar.length === 0 ? here : similar).map((route) => `${route.method} ${route.path}`)
}

function isAlike(word: string, other: string): boolean {
  return other.length > 2 && (word.startsWith(other.slice(0, 4)) || other.startsWith(word.slice(0, 4)))
}
